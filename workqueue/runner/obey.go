package runner

import (
	"context"
	"errors"

	"botwork/workqueue"
)

// obey does what users requested of this worker, as a heartbeat returned it.
func (r *Runner) obey(ctx context.Context, beat *workqueue.BeatResult) {
	changed := r.applyOverrides(beat.Overrides)
	switch {
	case beat.State == workqueue.WorkerDraining && !r.drains():
		r.suspend(ctx)
	case beat.State == workqueue.WorkerActive && r.stops():
		// A user has resumed it, but it is shutting down.
		if err := r.recordDraining(ctx); err != nil {
			r.o.Log.Warn().Err(err).Msg("could not record that this worker is draining; items assigned to it meanwhile are released when it stops")
		}
	case beat.State == workqueue.WorkerActive && r.suspended.Load():
		r.resume()
		changed = true
	}
	if changed && !r.drains() && r.o.Attend != nil {
		r.o.Attend(workqueue.EveryPriority)
	}
}

// suspend drains because a user requested it in the database. The process continues, claims
// nothing until it is resumed, and cancels items that run longer than the shutdown timeout.
func (r *Runner) suspend(ctx context.Context) {
	r.o.Log.Info().Str("hint", "botwork workers resume "+r.worker.Name).Msg("drain requested; this worker takes no more items until it is resumed")
	resumed := make(chan struct{})
	r.resumed = resumed
	r.suspended.Store(true)
	r.dispatch.poke()
	r.giveBackAssigned(ctx)
	r.loop.Go(func() {
		if !waitFor(r.runs, resumed, r.o.ShutdownGrace) && r.runs.Err() == nil {
			r.held.cancelAll(workqueue.ErrDraining)
		}
	})
}

// resume lets the worker take items again, also in steps that the drain had stopped and that still
// have running items.
func (r *Runner) resume() {
	r.o.Log.Info().Msg("this worker was resumed; it takes items again")
	r.restart(workqueue.ErrDraining, func() {
		r.suspended.Store(false)
		close(r.resumed)
	})
}

// restart lets the steps that were stopped for a cause start items again. clear ends the cause.
func (r *Runner) restart(cause error, clear func()) {
	d := r.dispatch
	d.mu.Lock()
	defer d.mu.Unlock()
	clear()
	for _, s := range d.sessions {
		for _, st := range s.steps {
			if errors.Is(st.stopped, cause) {
				st.stopped = nil
			}
		}
	}
	d.mayClaim()
	d.poke()
}
