package workqueue

import (
	"context"
	"sync"
	"time"
)

const (
	// claimLimit bounds the items of one claim.
	claimLimit = 500

	// claimAhead is how much work may wait claimed but unstarted: enough to
	// hide a round trip, little enough that others can still have the rest.
	claimAhead = 500 * time.Millisecond

	// refillEvery is how often a worker with free slots and nothing to claim
	// asks for more while some of its items still run.
	refillEvery = 15 * time.Second
)

// execution is one call of Execute.
type execution struct {
	r        *Runner
	p        ExecuteParams
	policies queuePolicies

	queue []claimed     // claimed, not started; owned by the loop
	ended chan struct{} // holds a token when a run has ended
	over  chan struct{} // holds a token when an end has been written

	mu      sync.Mutex
	open    int // claimed items whose end is not written yet
	lost    int // of those that are over: given up unwritten when the worker stopped
	running int
	result  ExecuteResult
	mean    time.Duration // of a run's time, exponentially weighted
}

// claimed is an item with the context that its lease gives it.
type claimed struct {
	Item
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// loop starts items until there are none left or ctx ends. It takes a slot
// first and claims then: what starts is the most urgent item of that moment.
func (e *execution) loop(ctx context.Context) error {
	for {
		if err := e.r.slots.acquire(ctx, need{priority: e.p.Band.Min}); err != nil {
			return err
		}
		if len(e.queue) == 0 {
			if err := e.claim(ctx); err != nil {
				e.r.slots.release(need{})
				return err
			}
		}
		// A claim that was under way when ctx ended still brought its items.
		if err := context.Cause(ctx); err != nil {
			e.r.slots.release(need{})
			return err
		}
		if len(e.queue) > 0 {
			it := e.queue[0]
			e.queue = e.queue[1:]
			if it.ctx.Err() == nil {
				e.start(it)
				continue
			}
			// Its lease ended, or was taken away, while it waited for a slot:
			// somebody else may be running it.
			e.giveBack(it)
			e.r.slots.release(need{})
			continue
		}
		e.r.slots.release(need{})
		if more, err := e.more(ctx); !more || err != nil {
			return err
		}
	}
}

// more waits until claiming again makes sense; false when nothing is left.
func (e *execution) more(ctx context.Context) (bool, error) {
	if e.runningNow() > 0 {
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
	if asked, err := e.refill(ctx); !asked || err != nil {
		return false, err
	}
	// Whatever the pass assigned: another worker's may have come first, with
	// items for this one.
	err := e.claim(ctx)
	return len(e.queue) > 0, err
}

// refill repeats the pass; false when there is none to repeat.
func (e *execution) refill(ctx context.Context) (asked bool, err error) {
	pass, ok := e.r.passFor(e.p.Band)
	if !e.p.Refill || !ok {
		return false, nil
	}
	_, err = e.r.pass(ctx, pass)
	return true, err
}

// claim is not broken off when ctx ends: what a lost answer had claimed would
// stay blocked until its lease ends, and count as a death of its worker.
func (e *execution) claim(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.r.statementTime())
	defer cancel()
	started := time.Now()
	items, err := e.r.o.Store.Claim(ctx, ClaimParams{
		WorkerID: e.r.worker.ID, InstanceID: e.r.worker.InstanceID,
		Band: e.p.Band, Max: e.batch(), Lease: e.r.o.Spec.Lease,
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.open += len(items)
	e.mu.Unlock()
	for i := range items {
		ctx, cancel := e.r.held.add(e.r.runs, &items[i], started.Add(e.r.o.Spec.Lease))
		e.queue = append(e.queue, claimed{Item: items[i], ctx: ctx, cancel: cancel})
	}
	return nil
}

// batch is how many items to claim: one for each slot, or as many as the slots
// are likely to run within claimAhead.
func (e *execution) batch() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	capacity := e.r.o.Spec.Capacity
	if e.mean == 0 {
		return min(capacity, claimLimit)
	}
	ahead := int(claimAhead / max(e.mean, time.Microsecond))
	return min(capacity*max(ahead, 1), claimLimit)
}
