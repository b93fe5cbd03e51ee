package workqueue

import (
	"context"
	"slices"
	"time"
)

// fill takes the slots for the items whose turn it is, and returns the items.
func (d *dispatcher) fill() (begin []*claimed) {
	if d.r.drains() {
		d.stopAll(ErrDraining)
	}
	for {
		it := d.line.next(&d.slots)
		if it == nil {
			d.stray = d.stray || len(begin) > 0
			return begin
		}
		if !it.mayBegin() {
			d.slots.release(it.need)
			d.giveBack(it)
			continue
		}
		begin = append(begin, it)
	}
}

// mayBegin reports whether an item that waited may begin: its lease holds, and it is
// not too late for it.
func (it *claimed) mayBegin() bool {
	if it.ctx.Err() != nil {
		return false // it was taken away: somebody else may be running it
	}
	if it.StartedAt == nil {
		return true
	}
	now := it.StartedAt.Add(time.Since(it.since)) // by the database's clock, or a little later
	late := func(end *time.Time) bool { return end != nil && end.Before(now) }
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
	d.mu.Lock()
	policy := d.policies.of(it.QueueName)
	d.cost += (float64(it.need.size()) - d.cost) / 8
	d.mu.Unlock()
	a := &activeRun{
		run: &Run{Item: &it.Item, queue: policy.Queue, resilience: policy.resilience}, ctx: it.ctx, step: it.step, started: time.Now(), need: it.need,
	}
	var timer *time.Timer
	a.run.limit = func(limit time.Duration) {
		timer = time.AfterFunc(limit, func() { it.cancel(&TimeLimitError{Limit: limit}) })
	}
	r.active.add(a)
	if !it.looked {
		d.recordBegins(it.ctx, it)
	}
	if it.refused {
		d.turnBack(a, it)
		return
	}
	a.run.waited = r.held.begin(it.ref())
	r.active.begins(a)
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
	if a.run.writesFirst() {
		<-written
	} else {
		r.completer.breathe()
	}
}

// recordBegins records the begins of items that are about to start, of all together,
// where that has to be done before: when what was true at their claim may no longer be,
// when their runs may be long, and when their queue bounds how many start in a time.
func (d *dispatcher) recordBegins(ctx context.Context, list ...*claimed) {
	now := time.Now()
	d.mu.Lock()
	policies, short := d.policies, !d.slow(now)
	d.mu.Unlock()
	var refs []ItemRef
	for _, it := range list {
		of := policies.of(it.QueueName).Queue
		it.looked = true
		if now.Sub(it.sure) > claimAhead || of.Rate != (Rate{}) || of.KeyRate != (Rate{}) || it.beginsFirst(short) {
			refs = append(refs, it.ref())
		}
	}
	if len(refs) == 0 {
		return
	}
	if len(refs) < len(list) { // the others wait for the answer as well
		refs = refs[:0]
		for _, it := range list {
			refs = append(refs, it.ref())
		}
	}
	refused := d.r.begin(ctx, refs...)
	for _, it := range list {
		it.refused = slices.Contains(refused, it.ID)
	}
}

func (it *claimed) ref() ItemRef { return ItemRef{ItemID: it.ID, Fence: it.Fence} }

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
