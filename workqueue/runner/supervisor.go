package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// waitAtMost bounds how long a claimed item waits for its slot before it is given
	// back, which is waitTrips round trips, and waitAtLeast.
	waitAtMost, waitAtLeast = time.Second, 500 * time.Millisecond
	waitTrips               = aheadTrips

	// holdAtOnce is how many claimed items are put in line before the next fetch is
	// decided.
	holdAtOnce = 32
)

// supervisor holds claimed items, runs each in the slots that it needs, and hands over its
// end. Items run in lanes, each of which takes the next item of the line by itself.
type supervisor struct {
	*board
	lanes *lanes
}

// hold begins to renew the leases of claimed items.
func (sv *supervisor) hold(items []workqueue.Item, got claimBatch) []*claimed {
	list := make([]*claimed, len(items))
	for i := range items {
		ctx, cancel := sv.r.held.add(sv.r.runs, &items[i], got.since.Add(sv.r.o.Spec.Lease))
		list[i] = &claimed{Item: items[i], ctx: ctx, cancel: cancel, since: got.since, confirmed: got.confirmed, held: got.confirmed}
	}
	return list
}

// arrive puts claimed items in line. It gives back items that no step runs any more or that
// this worker must not run.
func (sv *supervisor) arrive(list []*claimed) {
	var wait []*claimed
	bytes := 0
	for _, it := range list {
		bytes += len(it.Payload) + len(it.IntegrationConfig)
		it.step = sv.stepFor(it.Priority)
		sv.items++
		if it.step != nil {
			it.step.items++
			it.step.session.moved++
		}
		var refused error
		it.need, refused = sv.r.needOf(&it.Item)
		if refused == nil && sv.slots.hopeless(it.need) {
			refused = tooStuck(it.need)
		}
		switch {
		case it.step == nil || sv.r.drains():
			sv.giveBack(it)
		case refused != nil:
			sv.refuse(it, refused)
		default:
			if r := sv.reserve; r != nil && !r.before(it.need) && it.need.size() >= r.size() {
				sv.reserve = nil // the item itself, or one that now waits instead
			}
			wait = append(wait, it)
		}
	}
	if sv.slots.free == sv.r.o.Spec.Capacity {
		sv.pace.resumed(time.Now())
	}
	sv.line.add(wait...)
	if len(list) > 0 {
		sv.bytes = max(bytes/len(list), (sv.bytes+bytes/len(list))/2)
	}
}

// fill assigns free slots to the next items in line, and returns these items.
func (sv *supervisor) fill() (begin []*claimed) {
	if sv.r.drains() {
		sv.stopAll(workqueue.ErrDraining)
	}
	now := time.Now()
	for {
		it := sv.line.next(&sv.slots)
		if it == nil {
			sv.unplaced = sv.unplaced || len(begin) > 0
			return begin
		}
		if !it.mayBegin(now) {
			sv.slots.release(it.need)
			sv.giveBack(it)
			continue
		}
		it.policy = sv.policies.of(it.QueueName)
		it.records = sv.records(it, now)
		sv.cost += (float64(it.need.size()) - sv.cost) / 8
		begin = append(begin, it)
	}
}

// records reports whether the start of an item must be recorded before its run begins:
// because its claim is old, because the run may be long, or because the queue limits the rate
// of starts.
func (sv *supervisor) records(it *claimed, now time.Time) bool {
	of := it.policy.Queue
	return now.Sub(it.confirmed) > claimAhead || of.Rate != (workqueue.Rate{}) || of.KeyRate != (workqueue.Rate{}) || beginsFirst(&it.Item, !sv.slow(now))
}

// launch runs an item in a lane, and then the items that follow it in its slot.
func (sv *supervisor) launch(it *claimed) {
	sv.lanes.run(func() {
		for it != nil {
			sv.runItem(it)
			it = sv.nextFor(it)
		}
	})
}

// nextFor frees the slots of an item that has ended, and returns the next item for its lane;
// nil if there is none.
func (sv *supervisor) nextFor(done *claimed) *claimed {
	sv.mu.Lock()
	sv.slots.release(done.need)
	if done.need.most > 0 {
		sv.mayClaim() // its channel was full
	}
	begin := sv.fill()
	if len(begin) == 0 || len(sv.line.items)+sv.reading <= sv.fetched {
		sv.poke()
	}
	sv.mu.Unlock()
	sv.r.signalIdle()
	if len(begin) == 0 {
		return nil
	}
	for _, it := range begin[1:] {
		sv.launch(it)
	}
	return begin[0]
}

// runItem runs an item in its slots, and hands its outcome to the completer.
func (sv *supervisor) runItem(it *claimed) {
	r := sv.r
	a := &activeRun{
		run: &workqueue.Run{Item: &it.Item, Queue: it.policy.Queue, QueueResilience: it.policy.resilience}, ctx: it.ctx, step: it.step, started: time.Now(), need: it.need,
	}
	var timer *time.Timer
	a.run.LimitTo = func(limit time.Duration) {
		timer = time.AfterFunc(limit, func() { it.cancel(&workqueue.TimeLimitError{Limit: limit}) })
	}
	r.active.add(a)
	if it.records {
		sv.recordBegins(it.ctx, it)
		r.active.begins(a, time.Now())
	}
	if it.refused {
		sv.turnBack(a, it)
		return
	}
	a.run.WaitedFor = r.held.begin(it.ref(), a.started)
	outcome := r.runSafely(it.ctx, a.run)
	if timer != nil {
		timer.Stop()
	}
	stuckFor, givenUp := r.active.remove(a)
	if stuckFor > 0 {
		r.returned(a, stuckFor, outcome)
	}
	if givenUp {
		return
	}
	written := sv.endRun(a, outcome)
	if a.run.WritesFirst() {
		<-written
	} else {
		r.completer.awaitRoom()
	}
}

// recordBegins records the starts of items that are about to run, all together, if one of
// them needs that.
func (sv *supervisor) recordBegins(ctx context.Context, list ...*claimed) {
	if !slices.ContainsFunc(list, func(it *claimed) bool { return it.records }) {
		return
	}
	refs := make([]workqueue.ItemRef, len(list))
	for i, it := range list {
		refs[i] = it.ref()
	}
	refused := sv.r.begin(ctx, refs...)
	for _, it := range list {
		it.records = false
		it.refused = slices.Contains(refused, it.ID)
	}
}

// turnBack gives back an item that must not start.
func (sv *supervisor) turnBack(a *activeRun, it *claimed) {
	stuckFor, givenUp := sv.r.active.remove(a)
	if stuckFor > 0 {
		sv.stick(a.need, -1) // the question whether it may start took so long
	}
	if givenUp {
		return
	}
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.giveBack(it)
}
