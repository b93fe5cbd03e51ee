package workqueue

import (
	"context"
	"time"
)

// start runs an item in the slots that have been acquired for it.
func (e *execution) start(it claimed, own need) {
	e.mu.Lock()
	e.running++
	e.cost += (float64(own.size()) - e.cost) / 8
	mean := e.mean
	e.mu.Unlock()
	policy := e.policies.of(it.QueueName)
	a := &activeRun{
		run: &Run{Item: &it.Item, queue: policy.Queue, resilience: policy.resilience}, ctx: it.ctx, owner: e, started: time.Now(), need: own,
	}
	var timer *time.Timer
	a.run.limit = func(d time.Duration) {
		timer = time.AfterFunc(d, func() { it.cancel(&TimeLimitError{Limit: d}) })
	}
	e.r.active.add(a)
	e.lanes.run(func() {
		ref := ItemRef{ItemID: it.ID, Fence: it.Fence}
		if it.beginsFirst(mean) && !e.r.begin(it.ctx, ref) {
			e.turnBack(a, it)
			return
		}
		a.run.waited = e.r.held.begin(ref)
		e.r.active.begins(a)
		outcome := e.r.runSafely(it.ctx, a.run)
		if timer != nil {
			timer.Stop()
		}
		stuckFor, givenUp := e.r.active.remove(a)
		if stuckFor > 0 {
			e.r.returned(a, stuckFor, outcome)
		}
		if !givenUp {
			written := e.end(a, outcome)
			if a.run.writesFirst() {
				<-written
			} else {
				e.r.completer.breathe()
			}
		}
		e.r.slots.release(own)
		e.r.tellIdle()
	})
}

// turnBack gives back an item that must not begin.
func (e *execution) turnBack(a *activeRun, it claimed) {
	_, givenUp := e.r.active.remove(a)
	e.mu.Lock()
	e.running--
	e.mu.Unlock()
	if !givenUp {
		e.giveBack(it)
	}
	e.r.slots.release(a.need)
	e.r.tellIdle()
	e.tellLoop()
}

// end counts a run that has ended, or is given up, and hands its end over. What it
// returns is closed when that is over.
func (e *execution) end(a *activeRun, outcome Outcome) (written <-chan struct{}) {
	took := time.Since(a.started)
	// Counted before it is handed over: when all is written, all is counted.
	e.note(outcome.Verdict, took)
	over := make(chan struct{})
	e.r.completer.add(outcome.settle(a.run, took, random()), func(settled bool) {
		e.settled(settled)
		close(over)
	})
	return over
}

// abandon ends a run that has lost its item and does not stop. There is nothing
// to write.
func (e *execution) abandon(a *activeRun) {
	e.note(Released, time.Since(a.started))
	e.r.held.remove(ItemRef{ItemID: a.run.ID, Fence: a.run.Fence})
	e.settled(true)
}

// note counts a run that has ended and tells the loop.
func (e *execution) note(v Verdict, took time.Duration) {
	e.mu.Lock()
	e.running--
	switch v {
	case Succeeded:
		e.result.Succeeded++
	case Failed:
		e.result.Failed++
	case Snoozed:
		e.result.Snoozed++
	case Released:
		e.result.Released++
	case Dropped:
		e.result.Dropped++
	}
	if e.mean == 0 {
		e.mean = took
	} else {
		e.mean += (took - e.mean) / 8
	}
	e.mu.Unlock()
	e.tellLoop()
}

// tellLoop wakes the loop when it waits for slots.
func (e *execution) tellLoop() {
	select {
	case e.ended <- struct{}{}:
	default:
	}
}

// giveBack releases what was claimed and not started. The text of an earlier
// failure stays with the item.
func (e *execution) giveBack(items ...claimed) {
	for i := range items {
		it := &items[i].Item
		f := Finish{ItemID: it.ID, Fence: it.Fence, State: Ready, RetryCount: it.RetryCount}
		if it.Error != nil {
			f.Error = *it.Error
		}
		if it.ErrorKind != nil {
			f.ErrorKind = *it.ErrorKind
		}
		e.r.completer.add(f, e.settled)
	}
}

// settled notes that an end has been written, or never will be.
func (e *execution) settled(written bool) {
	if written {
		e.settle(1, 0)
	} else {
		e.settle(1, 1)
	}
}

// settle counts what is over, and what of it was lost.
func (e *execution) settle(over, lost int) {
	e.mu.Lock()
	e.open -= over
	e.lost += lost
	e.mu.Unlock()
	select {
	case e.over <- struct{}{}:
	default:
	}
}

// awaitWritten waits until the ends of all claimed items are written, or until
// ctx ends, and returns how many are open.
func (e *execution) awaitWritten(ctx context.Context) (open int) {
	for {
		e.mu.Lock()
		open = e.open
		e.mu.Unlock()
		if open == 0 || ctx.Err() != nil {
			return open
		}
		select {
		case <-e.over:
		case <-ctx.Done():
		}
	}
}

// finish waits for the ends of all that was claimed, and returns how many have
// none: it gives up when the worker's Stop has.
func (e *execution) finish() (result ExecuteResult, left int) {
	open := e.awaitWritten(e.r.runs)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.result, open + e.lost
}
