package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// fill takes the slots for the items whose turn it is, and returns the items.
func (d *dispatcher) fill() (begin []*claimed) {
	if d.r.drains() {
		d.stopAll(workqueue.ErrDraining)
	}
	now := time.Now()
	for {
		it := d.line.next(&d.slots)
		if it == nil {
			d.stray = d.stray || len(begin) > 0
			return begin
		}
		if !it.mayBegin(now) {
			d.slots.release(it.need)
			d.giveBack(it)
			continue
		}
		it.policy = d.policies.of(it.QueueName)
		it.records = d.records(it, now)
		d.cost += (float64(it.need.size()) - d.cost) / 8
		begin = append(begin, it)
	}
}

// records reports whether the begin of an item that is about to start has to be recorded
// before: when what was true at its claim may no longer be, when its run may be long, and
// when its queue bounds how many start in a time.
func (d *dispatcher) records(it *claimed, now time.Time) bool {
	of := it.policy.Queue
	return now.Sub(it.sure) > claimAhead || of.Rate != (workqueue.Rate{}) || of.KeyRate != (workqueue.Rate{}) || beginsFirst(&it.Item, !d.slow(now))
}

// mayBegin reports whether an item that waited may begin: its lease holds, and it is
// not too late for it.
func (it *claimed) mayBegin(now time.Time) bool {
	if it.ctx.Err() != nil {
		return false // it was taken away: somebody else may be running it
	}
	if it.StartedAt == nil {
		return true
	}
	then := it.StartedAt.Add(now.Sub(it.since)) // now by the database's clock, or a little later
	late := func(end *time.Time) bool { return end != nil && end.Before(then) }
	return !late(it.DeadlineAt) && !late(it.ExpiresAt)
}

// launch runs an item in a lane, and then whatever is next in line for its slot.
func (d *dispatcher) launch(it *claimed) {
	d.lanes.run(func() {
		for it != nil {
			d.runItem(it)
			it = d.nextFor(it)
		}
	})
}

// nextFor gives back the slots of an item that has ended, and returns the item that
// goes on in its lane; nil: none.
func (d *dispatcher) nextFor(done *claimed) *claimed {
	d.mu.Lock()
	d.slots.release(done.need)
	if done.need.most > 0 {
		d.mayClaim() // its channel was full
	}
	begin := d.fill()
	if len(begin) == 0 || len(d.line.items)+d.reading <= d.brought {
		d.poke()
	}
	d.mu.Unlock()
	d.r.tellIdle()
	if len(begin) == 0 {
		return nil
	}
	for _, it := range begin[1:] {
		d.launch(it)
	}
	return begin[0]
}

// runItem runs an item in the slots that were taken for it, and hands its end over.
func (d *dispatcher) runItem(it *claimed) {
	r := d.r
	a := &activeRun{
		run: &workqueue.Run{Item: &it.Item, Queue: it.policy.Queue, QueueResilience: it.policy.resilience}, ctx: it.ctx, step: it.step, started: time.Now(), need: it.need,
	}
	var timer *time.Timer
	a.run.LimitTo = func(limit time.Duration) {
		timer = time.AfterFunc(limit, func() { it.cancel(&workqueue.TimeLimitError{Limit: limit}) })
	}
	r.active.add(a)
	if it.records {
		d.recordBegins(it.ctx, it)
		r.active.begins(a, time.Now())
	}
	if it.refused {
		d.turnBack(a, it)
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
	written := d.endRun(a, outcome)
	if a.run.WritesFirst() {
		<-written
	} else {
		r.completer.breathe()
	}
}

// recordBegins records the begins of items that are about to start, of all together,
// where one of them needs that: the others wait for the answer as well.
func (d *dispatcher) recordBegins(ctx context.Context, list ...*claimed) {
	if !slices.ContainsFunc(list, func(it *claimed) bool { return it.records }) {
		return
	}
	refs := make([]workqueue.ItemRef, len(list))
	for i, it := range list {
		refs[i] = it.ref()
	}
	refused := d.r.begin(ctx, refs...)
	for _, it := range list {
		it.records = false
		it.refused = slices.Contains(refused, it.ID)
	}
}

func (it *claimed) ref() workqueue.ItemRef { return workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence} }

// turnBack gives back an item that must not begin.
func (d *dispatcher) turnBack(a *activeRun, it *claimed) {
	stuckFor, givenUp := d.r.active.remove(a)
	if stuckFor > 0 {
		d.stick(a.need, -1) // whoever asked whether it may begin waited so long
	}
	if givenUp {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.giveBack(it)
}
