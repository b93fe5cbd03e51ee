package workqueue

import (
	"context"
	"time"
)

// leastGate and mostGate bound the pause between two passes that a run was woken
// for and that found no worker with room: whoever enqueues hundreds of items while
// all are busy must not have a pass for each.
const leastGate, mostGate = 10 * time.Millisecond, 100 * time.Millisecond

// stay is more for a run that is woken: it waits until there is a reason to claim;
// false when the execution is over. Unlike an execution that nobody wakes it does
// not claim for each run that ends, nor repeat the pass when the last one has given
// out all that there was: what comes, it is told.
func (e *execution) stay(ctx context.Context) (bool, error) {
	for {
		busy := e.unwritten() > 0
		if !busy {
			if e.p.Stay.leftOver() {
				return true, e.repeat(ctx)
			}
			if !e.stays(ctx) {
				return e.leave(ctx)
			}
		}
		woken, wait := e.p.Stay.woken(), refillEvery
		if gated := time.Until(e.gate); gated > 0 {
			woken, wait = nil, gated
		}
		leave := e.p.Stay.leave
		if busy {
			leave = nil
		} else if woken != nil {
			wait = time.Until(e.p.Stay.until)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false, context.Cause(ctx)
		case <-woken:
			timer.Stop()
			return true, e.look(ctx)
		case <-e.over: // an end is written: it may have been the last one, and the worker has room
		case <-e.ended:
		case <-leave:
		case <-timer.C:
			if busy && woken != nil {
				_, err := e.refill(ctx)
				e.spent = false
				return err == nil, err
			}
		}
		timer.Stop()
	}
}

// stays tells whether the execution waits for more when nothing is left. A step
// with a time-out of its own does not: it would run into that.
func (e *execution) stays(ctx context.Context) bool {
	s := e.p.Stay
	_, bounded := ctx.Deadline()
	select {
	case <-s.leave:
		return false
	default:
		return e.p.Last && !bounded && time.Now().Before(s.until)
	}
}

// leave ends the execution, unless it was woken meanwhile.
func (e *execution) leave(ctx context.Context) (bool, error) {
	s := e.p.Stay
	if e.p.Last && !s.close() || !e.p.Last && len(s.token) > 0 {
		<-s.token
		return true, e.look(ctx)
	}
	return !e.close(), nil
}

// look does what the run was woken for; a claim follows. From then on a step runs
// what all steps of the run do, the most urgent first: who comes must not wait for
// the end of an item that only happens to be a step before, when slots are free.
func (e *execution) look(ctx context.Context) error {
	e.spent, e.fresh = false, true
	if e.p.Stay.Band != (Band{}) {
		e.band = e.p.Stay.Band
	}
	if !e.p.Stay.wanted() {
		return nil
	}
	found, err := e.repeatAll(ctx)
	if err == nil && !found {
		e.gate = time.Now().Add(min(leastGate<<min(e.gates, 10), mostGate))
		e.gates++
	}
	return err
}

// repeat runs the passes of this run again. A claim follows, unless the pass has told
// that there is nothing to claim.
func (e *execution) repeat(ctx context.Context) error {
	_, err := e.repeatAll(ctx)
	return err
}

// repeatAll is repeat; false: something was left, and nothing found a worker with room.
func (e *execution) repeatAll(ctx context.Context) (found bool, err error) {
	e.spent = false
	busy := e.unwritten() > 0
	passes := e.p.Stay.repeats(e.band)
	if len(passes) == 0 && e.p.Refill {
		if pass, ok := e.r.passFor(e.band); ok {
			passes = append(passes, pass)
		}
	}
	left, assigned := false, 0
	for _, p := range passes {
		p.brief = true
		result, err := e.passAndTake(ctx, p)
		if err != nil {
			return false, err
		}
		left, assigned = left || result.Left, assigned+result.Assigned
		e.spent = result.Emptied && len(passes) == 1
	}
	e.p.Stay.note(left, assigned, busy)
	if found = assigned > 0 || !left; found {
		e.gate, e.gates = time.Time{}, 0
	}
	return found, nil
}

// unwritten counts the claims and items that are not over.
func (e *execution) unwritten() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open
}

// passAndTake runs a pass that claims what it gives to this worker, when a slot is
// free for it: one commit less until the item starts.
func (e *execution) passAndTake(ctx context.Context, p AssignParams) (AssignResult, error) {
	if len(e.queue) > 0 || !e.r.slots.someFree() || !e.admit() {
		e.spent = false
		return e.r.pass(ctx, p)
	}
	p.Take = e.taking(e.batch())
	started := time.Now()
	result, err := e.r.pass(ctx, p)
	e.queue = append(e.queue, e.takeUp(result.Taken, started)...)
	e.p.Stay.claimed(len(result.Taken))
	return result, err
}
