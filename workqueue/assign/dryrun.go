package assign

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// DryRunResult is what an assignment pass would do. JSON field names are part of
// the command line's contract.
type DryRunResult struct {
	// At is the database's clock, UTC.
	At   time.Time      `json:"at"`
	Band workqueue.Band `json:"-"`

	// Workers counts the workers that could get items of every priority of the band.
	Workers int `json:"workers"`

	// Frees reports that the pass would free or cancel items first. Items that it would free are
	// not among Items, though it may assign them at once.
	Frees bool `json:"frees"`

	// Items are the items that it would assign, in that order.
	Items []DryRunItem `json:"items"`

	// Left are the most urgent due items that it would leave out, at most 100; More reports that
	// there are others.
	Left []DryRunLeft `json:"left"`
	More bool         `json:"more"`

	// Faults describe what could not be read or scored, and was ignored.
	Faults []string `json:"faults"`
}

// DryRunItem is an item that a pass would assign.
type DryRunItem struct {
	ItemID   int64  `json:"item"`
	Priority int    `json:"priority"`
	Pipeline string `json:"pipeline"` // "inline" if the item contains it
	Queue    string `json:"queue"`

	Mode   matching.Mode `json:"mode"`
	Worker string        `json:"worker"`

	// From is the worker that it would be moved from; nil if it waits.
	From *string `json:"from"`

	// StartsAt is about when the worker starts it. Estimate is how long it takes, according to
	// EstimateFrom: item, learned, pipeline or default.
	StartsAt     time.Time          `json:"startsAt"`
	Estimate     workqueue.Duration `json:"estimate"`
	EstimateFrom string             `json:"estimateFrom"`

	// Score is the worker's score if the mode is best-worker, else nil.
	Score *float64 `json:"score"`
}

// DryRunLeft is an item that a pass would leave out. Why explains it in detail.
type DryRunLeft struct {
	ItemID   int64      `json:"item"`
	Priority int        `json:"priority"`
	Pipeline string     `json:"pipeline"`
	Queue    string     `json:"queue"`
	Reason   ReasonKind `json:"reason"`
}

// mostLeft bounds the reported items that are left out.
const mostLeft = 100

// DryRun plans a pass by the code of AssignPass, and writes nothing. It takes no lock: the result
// is what a pass would do now if no one else wrote.
func DryRun(ctx context.Context, store workqueue.AssignStore, p AssignParams) (DryRunResult, error) {
	p = p.WithDefaults()
	d := newDryStore(store, p)
	p.NewRule = d.rule
	done, err := AssignPass(ctx, d, p)
	result := DryRunResult{Band: p.Band, Workers: done.Workers, Frees: d.sweepable, Faults: append([]string{}, done.Faults...), Items: []DryRunItem{}, Left: []DryRunLeft{}}
	if err != nil {
		return result, err
	}
	err = store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		result.Items, result.Left = []DryRunItem{}, []DryRunLeft{}
		marks, err := view.PassState(ctx)
		if err != nil {
			return err
		}
		result.At = marks.Now
		// The workers as the pass saw them.
		pl := &passPlanner{p: p, PassInput: workqueue.PassInput{PassState: marks, Loads: d.loads}, classes: newPassClasses(p, d.loads, d.queues, marks.Now)}
		for i := range d.written {
			one, err := d.item(ctx, pl, &d.written[i])
			if err != nil {
				return err
			}
			result.Items = append(result.Items, one)
		}
		return d.left(ctx, view, pl, &result)
	})
	return result, err
}

// item describes an assignment.
func (d *dryStore) item(ctx context.Context, pl *passPlanner, a *workqueue.Assignment) (DryRunItem, error) {
	it := d.seen[a.ItemID]
	profile := d.p.Profiles.For(it.Pipeline)
	of := profile.Distribution.Or(pl.classes.queues[it.QueueName]).Or(d.p.Distribution).Or(matching.DefaultDistribution())
	one := DryRunItem{
		ItemID: it.ID, Priority: it.Priority, Pipeline: shownPipeline(it.Pipeline), Queue: it.QueueName, Mode: of.Mode, StartsAt: a.StartsAt,
	}
	estimate, known := d.p.estimate(&it)
	one.Estimate = workqueue.Duration(estimate)
	switch _, learned := d.p.Learned.Estimate(it.Pipeline, it.TaskName, it.NaturalKey, profile); {
	case it.Estimate > 0:
		one.EstimateFrom = "item"
	case learned:
		one.EstimateFrom = "learned"
	case known:
		one.EstimateFrom = "pipeline"
	default:
		one.EstimateFrom = "default"
	}
	worker := -1
	for i := range pl.Loads {
		switch pl.Loads[i].WorkerID {
		case a.WorkerID:
			worker, one.Worker = i, pl.Loads[i].Name
		case a.From:
			one.From = &pl.Loads[i].Name
		}
	}
	if of.Mode != matching.BestWorker || worker < 0 {
		return one, nil
	}
	score, err := d.score(ctx, pl, &it, profile, *of.Scoring, worker)
	one.Score = &score
	return one, err
}

// score returns the worker's score. Rules are not evaluated again.
func (d *dryStore) score(ctx context.Context, pl *passPlanner, it *workqueue.DueItem, profile workqueue.Profile, s matching.Scoring, worker int) (float64, error) {
	selectors, _ := pl.classes.selectorsOf(it, &profile)
	labels, err := matching.ParseLabels(string(it.Labels))
	pl.classes.fault(err, "labels of item %d", it.ID)
	job := matching.Job{Labels: labels.Or(profile.Labels), Selectors: matching.Active(selectors, d.now.Sub(it.Due))}
	scores, err := pl.classes.scores(ctx, s, job)
	if err != nil {
		return 0, err
	}
	if s.Ascending {
		return -scores[worker], nil
	}
	return scores[worker], nil
}

// left describes the due items that the pass would leave out.
func (d *dryStore) left(ctx context.Context, view workqueue.AssignView, pl *passPlanner, result *DryRunResult) error {
	due, err := view.DueItems(ctx, d.p.Band, workqueue.Full{}, len(d.written)+mostLeft+1)
	if err != nil {
		return err
	}
	uses, err := view.LimitUses(ctx)
	if err != nil {
		return err
	}
	limiter := workqueue.NewLimiter(uses)
	given := map[int64]bool{}
	for _, a := range d.written {
		given[a.ItemID] = true
		if a.From == 0 {
			limiter.Take(d.seen[a.ItemID].Queue, d.seen[a.ItemID].LimitKey)
		}
	}
	due = slices.DeleteFunc(due, func(it workqueue.DueItem) bool { return given[it.ID] })
	if result.More = len(due) > mostLeft; result.More {
		due = due[:mostLeft]
	}
	w := &why{p: WhyParams{Profiles: d.p.Profiles}, now: d.now}
	for i := range due {
		it := &due[i]
		one := DryRunLeft{ItemID: it.ID, Priority: it.Priority, Pipeline: shownPipeline(it.Pipeline), Queue: it.QueueName}
		switch set, r := w.eligible(pl, it); {
		case it.Queue != "" && !limiter.Allows(it.Queue, it.LimitKey):
			one.Reason = WhyLimit
		case len(pl.Loads) == 0:
			one.Reason = WhyNoWorker
		case r != nil:
			one.Reason = r.Kind
		case slices.ContainsFunc(d.written, func(a workqueue.Assignment) bool {
			return slices.ContainsFunc(places(set, len(pl.Loads)), func(at int) bool { return pl.Loads[at].WorkerID == a.WorkerID })
		}):
			one.Reason = WhyBehind
		default:
			one.Reason = WhyFull
		}
		result.Left = append(result.Left, one)
	}
	return nil
}

// shownPipeline returns a pipeline's name for people.
func shownPipeline(text string) string {
	if workqueue.InlinePipeline(text) {
		return "inline"
	}
	return text
}
