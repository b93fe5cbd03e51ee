package workqueue

import (
	"context"
	"time"
)

// lookOut sees to high items while others fill the worker: until ctx ends it asks
// for some every refillEvery, and has them started before all that waits. Without
// it an item that becomes due in the middle of an hour of lesser work would find
// every pipeline that could assign it busy, and no slot.
func (e *execution) lookOut(ctx context.Context) {
	if e.p.Band.Max <= HighPriority {
		return
	}
	asked := make(chan struct{}, 1) // holds a token when there may be something to claim
	e.beside.Go(func() { e.askForHigh(ctx, asked) })
	if e.p.Band.Min <= HighPriority { // else the loop does nothing but that
		e.beside.Go(func() { e.startHigh(ctx, asked) })
	}
}

// askForHigh looks for high items, without the assignment lock, and repeats the
// part of the pass that is for them when there are any: lesser ones that a worker
// holds do not make it unavailable to those.
func (e *execution) askForHigh(ctx context.Context, asked chan<- struct{}) {
	ticker := time.NewTicker(refillEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if e.p.Stay != nil && e.unwritten() == 0 || !e.r.highLieAbout(ctx) {
			continue
		}
		if pass, ok := e.r.passFor(e.p.Band); ok && e.p.Refill {
			pass.Band.Min = max(pass.Band.Min, HighPriority+1)
			if !pass.Band.Empty() {
				// An error is the heartbeat's to report, and the next one tries again.
				_, _ = e.r.pass(ctx, pass)
			}
		}
		// What another worker's pass assigned is there as well.
		select {
		case asked <- struct{}{}:
		default:
		}
	}
}

// highLieAbout tells whether high items wait for a pass, lie about on a worker that
// is gone, or were given to this one and have not started.
func (r *Runner) highLieAbout(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	band, found, err := r.o.Store.Stranded(ctx, r.worker.ID)
	if err == nil && found && band.Max > HighPriority {
		return true
	}
	waits, err := r.o.Store.Waits(ctx, Band{Min: HighPriority + 1, Max: EveryPriority.Max})
	return err == nil && waits
}

// startHigh starts what there is of high items, one by one. It stands in line
// before it claims, so that what starts is the most urgent one when its turn comes,
// and it may have the slots that are reserved.
func (e *execution) startHigh(ctx context.Context, asked <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		}
		for e.startOne(ctx) {
		}
	}
}

// startOne starts one high item; false when there is none.
func (e *execution) startOne(ctx context.Context) bool {
	slot := high(e.p.Band)
	if e.crowded() || e.r.slots.acquire(ctx, slot) != nil {
		return false
	}
	if !e.admit() {
		e.r.slots.release(slot)
		return false
	}
	items, err := e.claim(ctx, Band{Min: slot.priority, Max: e.p.Band.Max}, 1)
	switch {
	case err != nil || len(items) == 0:
		e.r.slots.release(slot)
		return false
	case ctx.Err() != nil:
		e.r.slots.release(slot)
		e.giveBack(items...)
		return false
	}
	e.place(ctx, items[0], slot)
	return true
}
