package assign

import (
	"cmp"
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

const (
	// mostHeld bounds the held items of each state that a situation reads.
	mostHeld = 20_000

	// mostLesser bounds the due items below the priority of the item that Why is asked for: they
	// matter only while they may start before the item.
	mostLesser = 2_000
)

// ReadSituation reads the situation of the whole queue: what waits, is due and runs. Items that
// become due later are not part of it; add them to Items. Call Prepare then.
func ReadSituation(ctx context.Context, store WhyStore, p WhyParams) (*Situation, error) {
	workers, err := store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.Learned.Refresh(ctx); err != nil {
		return nil, err
	}
	rules, err := readRules(ctx, store, p.Escalations)
	if err != nil {
		return nil, err
	}
	var s *Situation
	err = store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		var err error
		if s, err = p.situation(ctx, view, workers, p.DefaultEstimate()); err != nil {
			return err
		}
		most := p.mostDue()
		due, err := view.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, most+1)
		if err != nil {
			return err
		}
		if len(due) > most {
			due, s.Cut = due[:most], most
		}
		s.addDue(due)
		s.Rules = rules
		return nil
	})
	return s, err
}

// DefaultEstimate returns how long the first pass expects an item to run whose duration is unknown.
func (p *WhyParams) DefaultEstimate() time.Duration {
	for _, pipeline := range p.Pipelines {
		for _, params := range pipeline.Passes {
			return params.WithDefaults().DefaultEstimate
		}
	}
	return AssignParams{}.WithDefaults().DefaultEstimate
}

// params completes the parameters of a pass.
func (p *WhyParams) params(of AssignParams) AssignParams {
	of.Profiles, of.Learned = p.Profiles, p.Learned
	of.NewRule = nil // which of several workers gets an item does not matter here, so no scoring service is called
	return of.WithDefaults()
}

// situation reads everything but the waiting items.
func (p *WhyParams) situation(ctx context.Context, view workqueue.AssignView, rows []workqueue.Worker, defaultEstimate time.Duration) (*Situation, error) {
	s := &Situation{DefaultEstimate: defaultEstimate}
	var seenWithin time.Duration
	for _, pipeline := range p.Pipelines {
		passes := pipeline.Passes
		pipeline.Passes = nil
		for _, params := range passes {
			pipeline.Passes = append(pipeline.Passes, p.params(params))
			seenWithin = max(seenWithin, p.params(params).SeenWithin)
		}
		s.Pipelines = append(s.Pipelines, pipeline)
	}
	in, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: seenWithin, Band: workqueue.EveryPriority, DefaultEstimate: defaultEstimate})
	if err != nil {
		return nil, err
	}
	s.At, s.marks, s.queues = in.PassState.Now, in.PassState, in.Distributions
	if s.uses, err = view.LimitUses(ctx); err != nil {
		return nil, err
	}
	for i := range in.Loads {
		one := SimWorker{WorkerLoad: in.Loads[i]}
		if at := slices.IndexFunc(rows, func(w workqueue.Worker) bool { return w.ID == one.WorkerID }); at >= 0 {
			one.Capacity = rows[at].Capacity // stuck slots are among the running ones
		}
		s.Workers = append(s.Workers, one)
	}
	held, err := view.HeldItems(ctx, mostHeld)
	if err != nil {
		return nil, err
	}
	for i := range held {
		s.addHeld(&held[i])
	}
	return s, nil
}

// addHeld adds a held item. The next pass assigns items of a worker that is gone again; items that
// run on it, or that robots process, occupy no slot.
func (s *Situation) addHeld(h *workqueue.HeldItem) {
	gone := s.worker(h.Holder) < 0
	if gone && h.Running {
		return
	}
	it := SimItem{HeldItem: *h}
	// A person may have written any value.
	it.Takes = min(max(cmp.Or(h.Estimate, s.DefaultEstimate), 0), longestRun)
	it.Estimate = it.Takes
	if gone {
		it.Holder, it.Takes, it.Estimate = 0, 0, h.Estimate
	}
	s.Items = append(s.Items, it)
}

// longestRun bounds the runs of a simulation.
const longestRun = 10 * 365 * 24 * time.Hour

// addDue adds due items that no worker holds.
func (s *Situation) addDue(list []workqueue.DueItem) {
	held := make(map[int64]bool, len(s.Items))
	for i := range s.Items {
		held[s.Items[i].ID] = true
	}
	for i := range list {
		if held[list[i].ID] {
			continue // a pass has assigned it since the held items were read
		}
		s.Items = append(s.Items, SimItem{HeldItem: workqueue.HeldItem{DueItem: list[i]}})
	}
}

// situation reads what a simulation of the item's start begins with.
func (w *why) situation(ctx context.Context) (*Situation, error) {
	s, err := w.p.situation(ctx, w.view, w.workers, w.pass.Params.DefaultEstimate)
	if err != nil {
		return nil, err
	}
	s.At, s.Rules = w.now, w.rules
	waiting, err := w.waiting(ctx)
	if err != nil {
		return nil, err
	}
	s.addDue(waiting)
	if due := w.scheduled(); due != nil {
		s.addDue([]workqueue.DueItem{*due})
	}
	return s, s.Prepare(ctx)
}

// waiting reads the due items: all that are at least as urgent as the item, and some less urgent
// ones.
func (w *why) waiting(ctx context.Context) ([]workqueue.DueItem, error) {
	var list []workqueue.DueItem
	for limit := 64 * leastWindow; ; limit *= 8 {
		limit = min(limit, w.p.mostDue())
		var err error
		list, err = w.view.DueItems(ctx, workqueue.Band{Min: w.item.Priority, Max: workqueue.EveryPriority.Max}, workqueue.Full{}, limit)
		if err != nil {
			return nil, err
		}
		if len(list) < limit || limit == w.p.mostDue() {
			break
		}
	}
	if w.item.Priority == workqueue.EveryPriority.Min {
		return list, nil
	}
	lesser, err := w.view.DueItems(ctx, workqueue.Band{Min: workqueue.EveryPriority.Min, Max: w.item.Priority - 1}, workqueue.Full{}, mostLesser)
	return append(list, lesser...), err
}

// AddLater adds an item that waits until it is due.
func (s *Situation) AddLater(it *workqueue.Item) {
	due := dueOf(it)
	due.LimitKey = orEmpty(it.LimitKey)
	if selectors, err := matching.ParseSelectors(string(it.Selectors)); err == nil {
		due.Expedite = matching.Expedites(selectors)
	}
	s.Add(SimItem{HeldItem: workqueue.HeldItem{DueItem: due, FinishBy: orZero(it.FinishBy)}, Failures: it.RetryCount})
}

// Add adds an item of the queue QueueName. If that has limits, they apply, by its LimitKey.
func (s *Situation) Add(it SimItem) {
	s.setLimits(&it)
	s.Items = append(s.Items, it)
}

// setLimits sets which limits apply to an item of the queue QueueName.
func (s *Situation) setLimits(it *SimItem) {
	it.Queue = ""
	if slices.ContainsFunc(s.uses, func(u workqueue.LimitUse) bool { return u.Queue == it.QueueName }) {
		it.Queue = it.QueueName
	} else {
		it.LimitKey = ""
	}
}

// orZero returns a time; the zero time for nil.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// scheduled returns the item if it is not due yet, else nil.
func (w *why) scheduled() *workqueue.DueItem {
	it := w.item
	if it.State != workqueue.Ready && it.State != workqueue.Pending || !it.AvailableAt.After(w.now) {
		return nil
	}
	due := dueOf(it)
	if w.queue.QueueLimits != (workqueue.QueueLimits{}) {
		due.Queue, due.LimitKey = it.QueueName, orEmpty(it.LimitKey)
	}
	if selectors, err := matching.ParseSelectors(string(it.Selectors)); err == nil {
		due.Expedite = matching.Expedites(selectors)
	}
	return &due
}
