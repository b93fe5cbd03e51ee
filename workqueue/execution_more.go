package workqueue

import (
	"context"
	"time"
)

// more waits until claiming again makes sense; false when nothing is left.
func (e *execution) more(ctx context.Context) (bool, error) {
	if e.p.Stay != nil && !e.crowded() {
		return e.stay(ctx)
	}
	if e.underWay() > 0 {
		timer := time.NewTimer(refillEvery)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-e.ended:
			return true, nil
		case <-timer.C:
		}
		_, err := e.refill(ctx)
		return err == nil, err
	}
	// Dry. The pass counts what a worker holds, so the ends must be written.
	if e.awaitWritten(ctx); ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	asked, err := e.refill(ctx)
	if err != nil {
		return false, err
	}
	if asked {
		// Whatever the pass assigned: another worker's may have come first, with
		// items for this one.
		if err := e.claimMore(ctx); err != nil || len(e.queue) > 0 {
			return err == nil, err
		}
	}
	return !e.close(), nil
}

// refill repeats the pass; false when there is none to repeat.
func (e *execution) refill(ctx context.Context) (asked bool, err error) {
	pass, ok := e.r.passFor(e.band)
	if !e.p.Refill || !ok {
		return false, nil
	}
	_, err = e.r.pass(ctx, pass)
	return true, err
}

// close lets nothing be claimed any more, unless the lookout has found something
// meanwhile: false.
func (e *execution) close() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = e.open == 0
	return e.closed
}

// underWay counts the items that run, or wait for what they need.
func (e *execution) underWay() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running + e.waiting
}
