package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/workqueue"
)

// active keeps the runs that go on: to record their progress, and to see to
// those that do not stop when they are told to.
type active struct {
	mu    sync.Mutex
	runs  map[*activeRun]struct{}
	stuck int       // slots of runs that are
	ended time.Time // when a run ended last; zero: none has
	told  time.Time // when a heartbeat began last
}

// activeRun is a run in its slot.
type activeRun struct {
	run     *workqueue.Run
	ctx     context.Context
	step    *step // that it counts for
	started time.Time
	need    need // the slots that it has

	// Guarded by active.mu.
	cancelled time.Time // when its context was seen to have ended; zero: not yet
	stuck     bool      // it has ignored that for too long
	givenUp   bool      // its end is settled without it
}

func newActive() *active { return &active{runs: map[*activeRun]struct{}{}} }

func (a *active) add(r *activeRun) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs[r] = struct{}{}
}

// begins notes when a run begins that had to wait for that.
func (a *active) begins(r *activeRun, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.started = now
}

// remove takes a run out that has returned. stuckFor is how long it had ignored
// the end of its context when it counted as stuck, else 0; givenUp tells that
// its result comes too late.
func (a *active) remove(r *activeRun) (stuckFor time.Duration, givenUp bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, r)
	a.ended = time.Now()
	if r.stuck {
		a.stuck -= r.need.size()
		stuckFor = time.Since(r.cancelled)
	}
	return stuckFor, r.givenUp
}

// sinceEnd is how long ago a run ended last; nil: none has.
func (a *active) sinceEnd() *time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended.IsZero() {
		return nil
	}
	return new(time.Since(a.ended))
}

// idleFor tells that nothing runs, and that no heartbeat has begun for so long.
func (a *active) idleFor(atLeast time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.runs) == 0 && time.Since(a.told) >= atLeast
}

// beaten notes that a heartbeat begins.
func (a *active) beaten(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = at
}

// stuckSlots counts the slots whose handler was cancelled and does not stop.
func (a *active) stuckSlots() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stuck
}

// overdue returns the runs whose context ended longer than patience ago and
// that were not returned before. They count as stuck from now on; those whose
// item is lost, or whose time is over, are given up: the caller settles their
// end. A worker that drains keeps the rest, whose leases go on.
func (a *active) overdue(now time.Time, patience time.Duration) []*activeRun {
	a.mu.Lock()
	defer a.mu.Unlock()
	var late []*activeRun
	for r := range a.runs {
		switch {
		case r.stuck || r.ctx.Err() == nil:
		case r.cancelled.IsZero():
			r.cancelled = now
		case now.Sub(r.cancelled) >= patience:
			r.stuck = true
			a.stuck += r.need.size()
			cause := context.Cause(r.ctx)
			r.givenUp = errors.Is(cause, workqueue.ErrLeaseLost) || errors.Is(cause, context.DeadlineExceeded)
			late = append(late, r)
		}
	}
	return late
}

// claims are those of the runs that began before a time.
func (a *active) claims(before time.Time) []workqueue.ItemRef {
	a.mu.Lock()
	defer a.mu.Unlock()
	var refs []workqueue.ItemRef
	for r := range a.runs {
		if !r.givenUp && r.started.Before(before) {
			refs = append(refs, workqueue.ItemRef{ItemID: r.run.ID, Fence: r.run.Fence})
		}
	}
	return refs
}

// news collects what has changed in the runs that began before a time.
func (a *active) news(before time.Time) (notes []workqueue.ProgressNote, of []*workqueue.Run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.runs {
		if r.givenUp || !r.started.Before(before) {
			continue
		}
		if note, changed := r.run.NewProgress(); changed {
			notes, of = append(notes, note), append(of, r.run)
		}
	}
	return notes, of
}
