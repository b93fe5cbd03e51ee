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

// unassigned explains items that a pass could assign: first which workers may run them, then
// whether these have room.
func (w *why) unassigned(ctx context.Context) (Reason, error) {
	pl, err := w.pass.Params.planner(ctx, w.view, 0)
	if err != nil {
		return Reason{}, err
	}
	if len(pl.Loads) == 0 {
		if r, ok := w.gated(); ok {
			return r, nil
		}
		return w.noWorker(), nil
	}
	due := dueOf(w.item)
	eligible, r := w.eligible(pl, &due)
	if r != nil {
		return w.withGated(*r), nil
	}
	if !w.passed {
		return Reason{Kind: WhyNoPass, Text: fmt.Sprintf("no pipeline has an AssignTasksToWorker step for items of priority %d", w.item.Priority),
			Change: "change its priority, or add such a step to a pipeline"}, nil
	}
	if w.pass.At.IsZero() {
		return Reason{Kind: WhyNoPass, Pipeline: w.pass.Pipeline,
			Text:   fmt.Sprintf("pipeline %q assigns items of priority %d, but no schedule starts it", w.pass.Pipeline, w.item.Priority),
			Change: fmt.Sprintf("give the pipeline a trigger, or start it: botwork run --once %s", w.pass.Pipeline)}, nil
	}
	if r := w.batch(); r != nil {
		return *r, nil
	}
	placed, err := w.placed(ctx, pl, &due, eligible)
	return w.withGated(placed), err
}

// dueOf returns the item as a pass reads it.
func dueOf(it *workqueue.Item) workqueue.DueItem {
	d := workqueue.DueItem{
		ID: it.ID, Priority: it.Priority, Due: it.AvailableAt, Pipeline: it.IntegrationConfig, QueueName: it.QueueName,
		Labels: it.Labels, Selectors: it.Selectors,
	}
	if it.DeadlineAt != nil {
		d.Deadline = *it.DeadlineAt
	}
	if it.EstimatedDurationMs != nil {
		d.Estimate = time.Duration(*it.EstimatedDurationMs) * time.Millisecond
	} else {
		d.TaskName, d.NaturalKey = orEmpty(it.TaskName), orEmpty(it.NaturalKey)
	}
	return d
}

func (w *why) noWorker() Reason {
	r := Reason{Kind: WhyNoWorker, Text: "no worker is alive", Change: "start one: botwork run"}
	var last, draining *workqueue.Worker
	for i := range w.workers {
		if one := &w.workers[i]; one.State == workqueue.WorkerDraining && one.LeaseExpiresAt != nil && !one.LeaseExpiresAt.Before(w.now) {
			draining = one
		}
		if last == nil || w.workers[i].LastSeenAt.After(last.LastSeenAt) {
			last = &w.workers[i]
		}
	}
	if last == nil {
		return r
	}
	r.Worker, r.Since = last.Name, &last.LastSeenAt
	if draining != nil {
		last, r.Text = draining, "no worker accepts items"
		r.Worker, r.Since = last.Name, &last.LastSeenAt
		r.Change = fmt.Sprintf("let it take items again: botwork workers resume %s; or start another worker: botwork run", last.Name)
	}
	r.Text += fmt.Sprintf("; the last one, %q (%s), was seen %s", last.Name, last.State, w.inText(last.LastSeenAt))
	return r
}

// eligible returns the workers that may run the item, by their index in the plan, or the reason
// why there are none: they serve its queue, can load its pipeline, accept its channel and satisfy
// its selectors, checked in this order.
func (w *why) eligible(pl *passPlanner, due *workqueue.DueItem) (plan.Set, *Reason) {
	c := pl.classes
	var left []int
	for i := range c.workers {
		if c.workers[i].Serves(due.QueueName) {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return nil, &Reason{Kind: WhyQueue, Queue: due.QueueName, Workers: reasonWorkers(pl, all(len(c.workers)), due.Priority),
			Text:   fmt.Sprintf("no live worker serves its queue %q; live workers: %s", due.QueueName, names(pl, all(len(c.workers)))),
			Change: "start a worker that serves it, or add the queue to worker.queues of one"}
	}
	profile := w.p.Profiles.For(due.Pipeline)
	left, r := w.broken(pl, due, profile, left)
	if r != nil {
		return nil, r
	}
	taking := slices.DeleteFunc(slices.Clone(left), func(i int) bool {
		return c.workers[i].Slots > 0 && !c.workers[i].CanRun(profile.Channel) // stuck workers may accept it later
	})
	if len(taking) == 0 {
		return nil, &Reason{Kind: WhyChannel, Queue: due.QueueName, Workers: reasonWorkers(pl, left, due.Priority),
			Text:   fmt.Sprintf("no live worker that serves its queue %q accepts its channel %q and has enough slots for it; live workers: %s", due.QueueName, profile.Channel, names(pl, left)),
			Change: "start a worker that accepts the channel, or change worker.channels of one"}
	}
	var own []matching.Selector
	if due.Selectors != "" {
		var err error
		own, err = matching.ParseSelectors(string(due.Selectors))
		if err != nil {
			return nil, &Reason{Kind: WhyUnreadable, Error: err.Error(), Text: "its selectors cannot be read, so it is assigned to no worker: " + err.Error(),
				Change: "correct its Selectors"}
		}
	}
	d := profile.Distribution.Or(c.queues[due.QueueName]).Or(c.p.Distribution)
	asking := matching.Active(profile.CombinedSelectors(own), w.now.Sub(due.Due))
	set := plan.NewSet(len(c.workers))
	for _, i := range taking {
		if d.Bypasses() || matching.Satisfied(asking, c.labels[i]) {
			set.Add(i)
		}
	}
	if set.Count() == 0 {
		return nil, w.unsatisfied(pl, due, taking, asking)
	}
	return set, nil
}

// unsatisfied names the workers that lack the fewest selectors.
func (w *why) unsatisfied(pl *passPlanner, due *workqueue.DueItem, among []int, asking []matching.Selector) *Reason {
	missing := func(i int) []matching.Selector { return matching.Missing(asking, pl.classes.labels[i]) }
	slices.SortStableFunc(among, func(a, b int) int { return len(missing(a)) - len(missing(b)) })
	// The selectors that no worker satisfies, or else those that the closest lacks.
	nearest := missing(among[0])
	wanted := slices.DeleteFunc(slices.Clone(nearest), func(s matching.Selector) bool {
		return slices.ContainsFunc(among, func(i int) bool { return s.Satisfied(pl.classes.labels[i]) })
	})
	if len(wanted) == 0 {
		wanted = asking
	}
	texts := make([]string, len(wanted))
	for i, s := range wanted {
		texts[i] = s.String()
	}
	r := &Reason{Kind: WhySelectors, Worker: pl.Loads[among[0]].Name, Workers: reasonWorkers(pl, among, due.Priority)}
	for at := range r.Workers {
		i := among[at]
		r.Workers[at].Lacks = matching.MissingText(missing(i), pl.classes.labels[i])
	}
	r.Text = fmt.Sprintf("no live worker satisfies %s; the closest, worker %q, %s", strings.Join(texts, " and "), r.Worker, r.Workers[0].Lacks)
	r.Change = "start a worker with such labels, or add the missing labels to a worker"
	if at := expiry(due.Due, nearest); at != nil {
		r.At = at
		r.Change += fmt.Sprintf("; the selectors that %[3]q does not satisfy expire at %[1]s (%[2]s)", instantText(*at), w.inText(*at), r.Worker)
	}
	return r
}

// expiry returns when the last of the selectors expires; nil if one never does.
func expiry(due time.Time, selectors []matching.Selector) *time.Time {
	var last time.Time
	for i := range selectors {
		if selectors[i].ExpiresAfter == 0 {
			return nil
		}
		if at := due.Add(selectors[i].ExpiresAfter); at.After(last) {
			last = at
		}
	}
	return &last
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// names lists workers by name.
func names(pl *passPlanner, at []int) string {
	list := make([]string, len(at))
	for n, i := range at {
		list[n] = pl.Loads[i].Name
	}
	return listed(list)
}

// listed returns the first elements of a list as a text.
func listed(list []string) string {
	const most = 4
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most-1], ", "), len(list)-most+1)
	}
	return strings.Join(list, ", ")
}

// reasonWorkers describes workers, with the number of items that they hold at or above a
// priority.
func reasonWorkers(pl *passPlanner, at []int, priority int) []ReasonWorker {
	var list []ReasonWorker
	for _, i := range at[:min(len(at), mostReasonWorkers)] {
		l := &pl.Loads[i]
		one := ReasonWorker{Name: l.Name, Slots: l.Capacity}
		for k := range l.Held {
			if l.Held[k].Priority >= priority {
				one.Holds += l.Held[k].Count
			}
			if l.Held[k].Running {
				one.Running += l.Held[k].Count
			}
		}
		list = append(list, one)
	}
	return list
}
