package assign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// passClasses sorts the items of a pass into classes of items that the same workers may run. Most
// items declare the same: each text is parsed once.
type passClasses struct {
	p       AssignParams
	now     time.Time
	queues  map[string]matching.Distribution
	workers []plan.Worker     // by id
	labels  []matching.Labels // of each worker

	broken    brokenPipelines
	selectors map[string][]matching.Selector
	bySelect  map[string]plan.Set // the workers that satisfy one selector
	rules     map[string]matching.Rule

	// Of the current plan.
	pl    *plan.Planner
	known map[classKey]passClass

	fillSlots bool // some class has a mode that assigns to free slots only
	expiring  bool // some item has a selector that expires

	compete bool           // several queues have a share
	sharing map[int]string // the queues of the classes that compete by their shares

	faults []string
}

// classKey is what determines the class of an item.
type classKey struct {
	queue, pipeline   string
	labels, selectors workqueue.JSONText
	asking            string // which of the selectors have not expired; "" for all
}

type passClass struct {
	number    int // -1: no worker may run the item
	broken    bool
	expedites bool
}

// mostFaults bounds the faults that a pass reports.
const mostFaults = 10

func newPassClasses(p AssignParams, loads []workqueue.WorkerLoad, queues map[string]workqueue.JSONText, now time.Time) *passClasses {
	c := &passClasses{
		p: p, now: now, queues: make(map[string]matching.Distribution, len(queues)),
		selectors: map[string][]matching.Selector{}, bySelect: map[string]plan.Set{}, rules: map[string]matching.Rule{},
	}
	for i := range loads {
		l := &loads[i]
		c.fault(l.Fault, "worker %q", l.Name)
		own, err := matching.ParseLabels(string(l.Labels))
		c.fault(err, "labels of worker %q", l.Name)
		w := plan.Worker{ID: l.WorkerID, Slots: l.Capacity, Reserved: l.Reserved, AvailableSince: l.AvailableSince.UnixMilli()}
		channels, err := workqueue.ParseChannels(l.Channels)
		c.fault(err, "worker %q", l.Name)
		for name, channel := range channels {
			if w.Channels == nil {
				w.Channels = map[string]plan.Channel{}
			}
			w.Channels[name] = plan.Channel(channel)
		}
		w.Queues, err = workqueue.ParseServed(l.Queues)
		c.fault(err, "worker %q", l.Name)
		c.workers = append(c.workers, w)
		c.labels = append(c.labels, matching.WorkerLabels(l.WorkerID, l.Name, own))
	}
	c.broken = newBrokenPipelines(c.labels)
	for queue, text := range queues {
		d, err := matching.ParseQueueDistribution(string(text))
		c.fault(err, "distribution of queue %q", queue)
		c.queues[queue] = d
	}
	c.compete = len(c.shares()) > 1
	return c
}

// use starts a new plan.
func (c *passClasses) use(pl *plan.Planner) {
	c.pl, c.known, c.sharing = pl, map[classKey]passClass{}, map[int]string{}
}

// shares returns the share of each queue that has one.
func (c *passClasses) shares() map[string]int {
	of := map[string]int{}
	for queue, d := range c.queues {
		if d.Share > 0 {
			of[queue] = d.Share
		}
	}
	return of
}

func (c *passClasses) fault(err error, format string, args ...any) {
	if err != nil && len(c.faults) < mostFaults {
		c.faults = append(c.faults, fmt.Sprintf(format, args...)+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// of returns the class of an item.
func (c *passClasses) of(ctx context.Context, it *workqueue.DueItem) (passClass, error) {
	key := classKey{queue: it.QueueName, pipeline: it.Pipeline, labels: it.Labels, selectors: it.Selectors}
	if workqueue.InlinePipeline(it.Pipeline) {
		key.pipeline = "" // it has no profile, and each would make a new class
	}
	if class, ok := c.known[key]; ok {
		return class, nil
	}
	profile := c.p.Profiles.For(it.Pipeline)
	if profile.Broken != "" {
		c.broken.addHere(it.Pipeline)
		c.known[key] = passClass{number: -1, broken: true}
		return c.known[key], nil
	}
	selectors, ok := c.selectorsOf(it, &profile)
	if !ok {
		c.known[key] = passClass{number: -1}
		return c.known[key], nil
	}
	asking := selectors
	if slices.ContainsFunc(selectors, func(s matching.Selector) bool { return s.ExpiresAfter > 0 }) {
		c.expiring = true
		waited := c.now.Sub(it.Due)
		asking = matching.Active(selectors, waited)
		for i := range selectors {
			if selectors[i].Expired(waited) {
				key.asking += fmt.Sprint(i, " ")
			}
		}
		key.asking += "asks no longer"
		if class, ok := c.known[key]; ok {
			return class, nil
		}
	}
	class, err := c.make(ctx, it, profile, asking)
	if err == nil {
		c.known[key] = class
	}
	return class, err
}

// selectorsOf returns all selectors of the item; false if its own cannot be parsed.
func (c *passClasses) selectorsOf(it *workqueue.DueItem, profile *workqueue.Profile) ([]matching.Selector, bool) {
	if it.Selectors == "" {
		return profile.Selectors, true
	}
	text := string(it.Selectors)
	own, ok := c.selectors[text]
	if !ok {
		var err error
		own, err = matching.ParseSelectors(text)
		c.fault(err, "selectors of item %d", it.ID)
		if err != nil {
			return nil, false
		}
		c.selectors[text] = own
	}
	return profile.CombinedSelectors(own), true
}

func (c *passClasses) make(ctx context.Context, it *workqueue.DueItem, profile workqueue.Profile, asking []matching.Selector) (passClass, error) {
	d := profile.Distribution.Or(c.queues[it.QueueName]).Or(c.p.Distribution).Or(matching.DefaultDistribution())
	class := plan.Class{Mode: d.Mode, Queue: it.QueueName, Channel: profile.Channel}
	c.fillSlots = c.fillSlots || d.Mode != matching.LeastLoaded || c.compete
	switch {
	case profile.Distribution.Mode != "":
		class.Scope = "pipeline " + it.Pipeline
	case c.queues[it.QueueName].Mode != "":
		class.Scope = "queue " + it.QueueName
	}
	if !d.Bypasses() {
		class.Eligible = c.eligible(asking)
	}
	class.Eligible = c.broken.limit(class.Eligible, it.Pipeline, len(c.workers))
	if d.Mode == matching.BestWorker {
		labels, err := matching.ParseLabels(string(it.Labels))
		c.fault(err, "labels of item %d", it.ID)
		scores, err := c.scores(ctx, *d.Scoring, matching.Job{Labels: labels.Or(profile.Labels), Selectors: asking})
		if err != nil {
			return passClass{}, err
		}
		class.Scores = scores
	}
	number := c.pl.Class(class)
	if d.Share > 0 && c.compete {
		c.sharing[number] = it.QueueName
	}
	return passClass{number: number, expedites: matching.Expedites(asking)}, nil
}

// eligible returns the workers that satisfy all selectors; nil means all workers.
func (c *passClasses) eligible(selectors []matching.Selector) plan.Set {
	var all plan.Set
	for i := range selectors {
		s := &selectors[i]
		key := s.String()
		set, ok := c.bySelect[key]
		if !ok {
			set = plan.NewSet(len(c.workers))
			for at := range c.workers {
				if s.Satisfied(c.labels[at]) {
					set.Add(at)
				}
			}
			c.bySelect[key] = set
		}
		if all == nil {
			all = slices.Clone(set)
		} else {
			all.And(set)
		}
	}
	return all
}

// scores scores all workers, so that higher is better whatever the scoring prefers. A rule that
// fails is replaced by the default score, so that items do not wait for it.
func (c *passClasses) scores(ctx context.Context, s matching.Scoring, job matching.Job) ([]float64, error) {
	scores, err := c.byRule(ctx, s, job)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		c.fault(err, "scores (the default score holds)")
		scores = make([]float64, len(c.labels))
		for i := range c.labels {
			scores[i] = matching.Score(job.Labels, job.Selectors, c.labels[i])
		}
		return scores, nil
	}
	if s.Ascending {
		for i := range scores {
			scores[i] = -scores[i]
		}
	}
	return scores, nil
}

func (c *passClasses) byRule(ctx context.Context, s matching.Scoring, job matching.Job) ([]float64, error) {
	text := matching.Distribution{Scoring: &s}.JSON()
	rule, ok := c.rules[text]
	if !ok {
		var err error
		if rule, err = c.p.newRule(s); err != nil {
			return nil, err
		}
		c.rules[text] = rule
	}
	return rule.Scores(ctx, job, c.labels)
}

// exhausted returns the queues that need not be read further: none of their items that were read
// can get a worker any more, and no worker that serves them has a free slot for a later item.
func (c *passClasses) exhausted() []string {
	left := map[string]bool{}
	for key, class := range c.known {
		if class.broken {
			continue // it says nothing about the queue's other items
		}
		left[key.queue] = left[key.queue] || class.number >= 0 && !c.pl.Exhausted(class.number)
	}
	var queues []string
	for queue, some := range left {
		if !some && queue != "" && !c.pl.HasFreeSlot(queue) {
			queues = append(queues, queue)
		}
	}
	slices.Sort(queues)
	return queues
}
