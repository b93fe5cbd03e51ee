package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// A claimed item that waits longer for its slot than waitTrips round trips is released.
	// waitAtLeast and waitAtMost bound that time.
	waitAtMost, waitAtLeast = time.Second, 500 * time.Millisecond
	waitTrips               = aheadTrips

	// holdAtOnce is the largest number of claimed items that are put in line before the next
	// fetch is planned.
	holdAtOnce = 32
)

// supervisor holds claimed items, runs each in the slots that it needs, and passes its outcome
// to the completer. Items run in lanes; each lane runs the next item of the line when one ends.
type supervisor struct {
	*board
	lanes *lanes
}

// hold adds claimed items to those whose leases are renewed.
func (sv *supervisor) hold(items []workqueue.Item, got claimBatch) []*claimed {
	list := make([]*claimed, len(items))
	for i := range items {
		ctx, cancel := sv.r.held.add(sv.r.runs, &items[i], got.since.Add(sv.r.o.Spec.Lease))
		list[i] = &claimed{Item: items[i], ctx: ctx, cancel: cancel, since: got.since, confirmed: got.confirmed, held: got.confirmed}
	}
	return list
}

// addToLine puts claimed items in line. It releases items for which no step is open, and items
// that this worker must not run.
func (sv *supervisor) addToLine(list []*claimed) {
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
		it.need, refused = sv.needOf(&it.Item)
		if refused == nil && sv.slots.blockedByStuck(it.need) {
			refused = sv.slots.blocked(it.need)
		}
		switch {
		case it.step == nil || sv.r.closed() != nil:
			sv.release(it)
		case refused != nil:
			sv.refuse(it, refused)
		default:
			if r := sv.reserve; r != nil && !r.before(it.need) && it.need.size() >= r.size() {
				sv.reserve = nil // this is the item, or one that waits in its place
			}
			wait = append(wait, it)
		}
	}
	if sv.slots.free == sv.slots.capacity {
		sv.pace.resumed(time.Now())
	}
	sv.line.add(wait...)
	if len(list) > 0 {
		sv.bytes = max(bytes/len(list), (sv.bytes+bytes/len(list))/2)
	}
}

// fill occupies free slots for the next items in line, and returns these items.
func (sv *supervisor) fill() (begin []*claimed) {
	if cause := sv.r.closed(); cause != nil {
		sv.stopAll(cause)
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
			sv.release(it)
			continue
		}
		it.policy = sv.policies.of(it.QueueName)
		it.recordStart = sv.mustRecordStart(it, now)
		sv.cost += (float64(it.need.size()) - sv.cost) / 8
		begin = append(begin, it)
	}
}

// mustRecordStart reports whether the start of an item must be recorded before its run begins:
// the claim is old, the run may be long, or the queue limits the rate of starts.
func (sv *supervisor) mustRecordStart(it *claimed, now time.Time) bool {
	of := it.policy.Queue
	return now.Sub(it.confirmed) > claimAhead || of.Rate != (workqueue.Rate{}) || of.KeyRate != (workqueue.Rate{}) || mustRecordBegin(&it.Item, !sv.slow(now))
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
	cancel := it.cancel
	a.run.LimitTo = func(limit time.Duration) {
		timer = time.AfterFunc(limit, func() { cancel(&workqueue.TimeLimitError{Limit: limit}) })
	}
	a.run.Steps = workqueue.KeptSteps(r.o.Store, a.run)
	a.run.OnLeaseLost = func(stop func()) { r.held.onLost(it.ref(), stop) }
	r.active.add(a)
	stopFinishBy := func() {}
	if it.BatchKey != nil {
		if b := sv.startBatch(a, it); b != nil {
			r.active.setStart(a, time.Now())
			cancel, stopFinishBy = b.cancel, b.end
		} else {
			it.refused = true
		}
	} else if it.recordStart {
		sv.recordBegins(it.ctx, it)
		r.active.setStart(a, time.Now())
	}
	if it.refused {
		sv.releaseRefused(a, it)
		return
	}
	a.run.WaitedFor = r.held.start(it.ref(), a.started)
	if a.batch == nil {
		stopFinishBy = it.endAtFinishBy(time.Now())
	} else {
		for _, one := range a.batch.claims[1:] {
			r.held.start(one.ref(), a.started)
		}
	}
	traced, span := traceItem(a.ctx, &it.Item, r.worker.Name)
	if a.traced = traced; a.batch != nil {
		span.Int("botwork.batch.items", int64(len(a.batch.claims)))
	}
	outcome := r.runSafely(traced, a.run)
	endItem(span, &outcome)
	stopFinishBy()
	if timer != nil {
		timer.Stop()
	}
	stuckFor, givenUp := r.active.remove(a)
	if stuckFor > 0 {
		r.stuckReturned(a, stuckFor, outcome)
	}
	if givenUp {
		return
	}
	written := sv.endRun(a, outcome)
	if a.run.FinishesSynchronously() {
		<-written
	} else {
		r.completer.awaitRoom()
	}
}

// recordBegins records the starts of items that are about to run in one statement, if one of
// them must be recorded.
func (sv *supervisor) recordBegins(ctx context.Context, list ...*claimed) {
	if !slices.ContainsFunc(list, func(it *claimed) bool { return it.recordStart }) {
		return
	}
	refs := make([]workqueue.ItemRef, len(list))
	for i, it := range list {
		refs[i] = it.ref()
	}
	refused := sv.r.begin(ctx, refs...)
	for _, it := range list {
		it.recordStart = false
		it.refused = slices.Contains(refused, it.ID)
	}
}

// releaseRefused releases an item that must not start.
func (sv *supervisor) releaseRefused(a *activeRun, it *claimed) {
	stuckFor, givenUp := sv.r.active.remove(a)
	if stuckFor > 0 {
		sv.markStuck(a.need, -1) // the statement that recorded its start took too long
	}
	if givenUp {
		return
	}
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.release(it)
}
