package assign

import (
	"cmp"
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// forecast reads what a forecast of the item's start begins with.
func (w *why) forecast(ctx context.Context) (*forecast, error) {
	f := &forecast{item: w.item.ID, now: w.now, defaultEstimate: w.pass.Params.DefaultEstimate}
	var seenWithin time.Duration
	for _, p := range w.p.Pipelines {
		one := &forecastPipeline{SystemPipeline: p, at: p.next(w.now), seen: -1, on: map[int64]bool{}, fresh: map[int64]bool{}}
		one.Passes = nil
		for _, params := range p.Passes {
			one.Passes = append(one.Passes, w.params(params))
			seenWithin = max(seenWithin, w.params(params).SeenWithin)
		}
		f.pipelines = append(f.pipelines, one)
	}
	// If several make passes at the same time, the more urgent items get the slots.
	slices.SortStableFunc(f.pipelines, func(a, b *forecastPipeline) int { return cmp.Compare(b.mostUrgent(), a.mostUrgent()) })
	in, err := w.view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: seenWithin, Band: workqueue.EveryPriority, DefaultEstimate: f.defaultEstimate})
	if err != nil {
		return nil, err
	}
	f.marks, f.queues = in.PassState, in.Distributions
	uses, err := w.view.LimitUses(ctx)
	if err != nil {
		return nil, err
	}
	f.limits = newForecastLimits(uses, w.now)
	for i := range in.Loads {
		one := &forecastWorker{load: in.Loads[i]}
		one.load.Held = nil
		one.channels, _ = workqueue.ParseChannels(in.Loads[i].Channels) // a pass ignores the error, too
		if row := w.worker(&in.Loads[i].WorkerID); row != nil {
			one.load.Capacity = row.Capacity // stuck slots are among the running ones
		}
		f.workers = append(f.workers, one)
	}
	waiting, err := w.waiting(ctx)
	if err != nil {
		return nil, err
	}
	held, err := w.view.HeldItems(ctx, mostHeld)
	if err != nil {
		return nil, err
	}
	f.waiting = newWaitingItems(waiting)
	for i := range held {
		f.hold(&held[i])
	}
	for _, one := range f.workers {
		one.order()
	}
	if due := w.scheduled(); due != nil {
		f.later = append(f.later, *due)
	}
	f.findRuns()
	return f, nil
}

// waiting reads the due items: all that are at least as urgent as the item, and some less urgent
// ones.
func (w *why) waiting(ctx context.Context) ([]workqueue.DueItem, error) {
	var list []workqueue.DueItem
	for limit := 8 * leastWindow; ; limit *= 8 {
		limit = min(limit, mostWindow)
		var err error
		list, err = w.view.DueItems(ctx, workqueue.Band{Min: w.item.Priority, Max: workqueue.EveryPriority.Max}, workqueue.Full{}, limit)
		if err != nil {
			return nil, err
		}
		if len(list) < limit || limit == mostWindow {
			break
		}
	}
	var err error
	if w.item.Priority != workqueue.EveryPriority.Min {
		var lesser []workqueue.DueItem
		lesser, err = w.view.DueItems(ctx, workqueue.Band{Min: workqueue.EveryPriority.Min, Max: w.item.Priority - 1}, workqueue.Full{}, mostLesser)
		list = append(list, lesser...)
	}
	for i := range list {
		list[i].ByHand = false // count it as it is
	}
	return list, err
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

// hold adds an item to its worker. The next pass assigns items of a worker that is gone again;
// items that run on it occupy no slot of another worker.
func (f *forecast) hold(h *workqueue.HeldItem) {
	to := f.worker(h.Holder)
	switch {
	case to == nil && h.Running:
	case to == nil:
		due := h.DueItem
		due.Holder = 0
		f.waiting.add(due)
	case h.Running:
		it := &forecastItem{HeldItem: *h, takes: f.takes(h)}
		// One that has exceeded its estimate is expected to take as long again.
		ran := max(f.now.Sub(h.Since), 0)
		left := it.takes - ran
		if left <= 0 {
			left = ran
		}
		it.ends = f.now.Add(max(left, time.Millisecond))
		to.running = append(to.running, it)
	default:
		to.give(&forecastItem{HeldItem: *h, takes: f.takes(h)})
	}
}

// takes returns how long a held item is expected to run. A person may have written any value.
func (f *forecast) takes(h *workqueue.HeldItem) time.Duration {
	return min(max(cmp.Or(h.Estimate, f.defaultEstimate), 0), mostWaitHorizon)
}

// findRuns finds the workers on which a pipeline is running: those that run an item of it, or
// would if a slot were free.
func (f *forecast) findRuns() {
	for _, p := range f.pipelines {
		for _, w := range f.workers {
			of := func(it *forecastItem) bool { return p.runs(it.Priority) }
			p.on[w.load.WorkerID] = slices.ContainsFunc(w.running, of) || w.free() <= 0 && slices.ContainsFunc(w.assigned, of)
		}
	}
}
