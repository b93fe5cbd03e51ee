package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/workqueue"
)

// active holds the current runs. It is used to record their progress and to handle runs that
// ignore their cancellation.
type active struct {
	mu       sync.Mutex
	runs     map[*activeRun]struct{}
	stuck    int       // slots of stuck runs
	lastEnd  time.Time // when a run last ended; zero: none has
	lastBeat time.Time // when a heartbeat last began
}

// activeRun is a run in its slot.
type activeRun struct {
	run     *workqueue.Run
	ctx     context.Context
	traced  context.Context // ctx in the span of the run; only for the goroutine that runs it
	step    *step           // that it counts for
	started time.Time
	need    need      // the slots that it occupies
	batch   *batchRun // nil: it has one item that never waited for others

	// Guarded by active.mu.
	cancelled time.Time // when its context was first seen as ended; zero: not yet
	stuck     bool      // it ignored its cancellation for too long
	givenUp   bool      // its outcome was decided before it returned
}

func newActive() *active { return &active{runs: map[*activeRun]struct{}{}} }

func (a *active) add(r *activeRun) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs[r] = struct{}{}
}

// setBatch sets the items of a run, and the context that ends when all of them are lost.
func (a *active) setBatch(r *activeRun, b *batchRun, ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.batch, r.ctx = b, ctx
}

// setStart sets the start of a run whose start had to be recorded in the database first.
func (a *active) setStart(r *activeRun, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.started = now
}

// remove removes a run that has returned. stuckFor is how long it ignored the end of its context
// if it counted as stuck, else 0; givenUp reports that its outcome was already decided.
func (a *active) remove(r *activeRun) (stuckFor time.Duration, givenUp bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, r)
	a.lastEnd = time.Now()
	if r.stuck {
		a.stuck -= r.need.size()
		stuckFor = time.Since(r.cancelled)
	}
	return stuckFor, r.givenUp
}

// sinceEnd returns how long ago a run last ended; nil if none has.
func (a *active) sinceEnd() *time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lastEnd.IsZero() {
		return nil
	}
	return new(time.Since(a.lastEnd))
}

// idleFor reports whether nothing runs and no heartbeat has begun for at least that long.
func (a *active) idleFor(atLeast time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.runs) == 0 && time.Since(a.lastBeat) >= atLeast
}

// recordBeat records that a heartbeat begins.
func (a *active) recordBeat(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastBeat = at
}

// stuckSlots returns the number of slots whose handler was cancelled and does not stop.
func (a *active) stuckSlots() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stuck
}

// overdue returns runs whose context ended more than patience ago. It returns each run once,
// and the run counts as stuck from then on. If the item is lost or the time limit has passed,
// the run is given up: the caller decides its outcome. The other runs belong to a draining
// worker, which still renews their leases.
func (a *active) overdue(now time.Time, patience time.Duration) []*activeRun {
	a.mu.Lock()
	defer a.mu.Unlock()
	var late []*activeRun
	for r := range a.runs {
		switch {
		case r.stuck || r.ctx.Err() == nil:
		case r.run.CleansUp(now):
			r.cancelled = time.Time{}
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

// claims returns the claims of the runs that started before a time.
func (a *active) claims(before time.Time) []workqueue.ItemRef {
	a.mu.Lock()
	defer a.mu.Unlock()
	var refs []workqueue.ItemRef
	for r := range a.runs {
		switch {
		case r.givenUp || !r.started.Before(before):
		case r.batch != nil:
			for _, one := range r.batch.claims {
				refs = append(refs, one.ref())
			}
		default:
			refs = append(refs, workqueue.ItemRef{ItemID: r.run.ID, Fence: r.run.Fence})
		}
	}
	return refs
}

// progressNotes returns what has changed in the runs that began before a time.
func (a *active) progressNotes(before time.Time) (notes []workqueue.ProgressNote, of []*workqueue.Run) {
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
