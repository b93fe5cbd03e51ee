package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
)

// patience returns how long a handler may take to stop after its context has ended. After that
// its slot counts as stuck.
func (r *Runner) patience() time.Duration { return min(10*time.Second, r.o.Spec.Lease/2) }

// handleStuck logs handlers that ignore the end of their context, and decides the outcomes of
// their runs, so that the pipeline that executes them does not wait forever. Their slots stay
// occupied, because the handlers are still running.
func (r *Runner) handleStuck(now time.Time) {
	for _, a := range r.active.overdue(now, r.patience()) {
		cause := context.Cause(a.ctx)
		note := a.run.ProgressNote()
		r.o.Log.Error().Int64("item_id", a.run.ID).Str("step", note.Step).
			Float64("cancelled_s", now.Sub(a.cancelled).Seconds()).Str("cause", cause.Error()).Bool("given_up", a.givenUp).
			Msg("a handler ignores its cancellation; its slot is stuck until it returns")
		r.dispatch.runs.markStuck(a.need, 1)
		switch {
		case !a.givenUp:
		case errors.Is(cause, workqueue.ErrLeaseLost):
			r.dispatch.runs.abandon(a)
		default:
			kind := workqueue.KindTimeout
			if _, expired := errors.AsType[*workqueue.FinishByError](cause); expired {
				kind = workqueue.KindExpired
			}
			r.dispatch.runs.endRun(a, workqueue.Outcome{
				Verdict: workqueue.Failed, Kind: kind, Step: note.Step,
				Error: fmt.Sprintf("%v; the handler of step %q ignored its cancellation for %s; "+
					"it may still be running in this process", cause, note.Step, r.patience()),
			})
		}
	}
}

// stuckReturned records that a stuck handler has returned.
func (r *Runner) stuckReturned(a *activeRun, stuckFor time.Duration, outcome workqueue.Outcome) {
	r.dispatch.runs.markStuck(a.need, -1)
	log := r.o.Log.Warn().Int64("item_id", a.run.ID).Float64("cancelled_s", stuckFor.Seconds())
	if a.givenUp {
		log = log.Bool("succeeded", outcome.Verdict == workqueue.Succeeded)
		log.Msg("stuck handler returned; slot freed, late result discarded")
		return
	}
	log.Msg("stuck handler returned; slot freed")
}

// releaseAssigned releases the items that are assigned to this worker, because all its slots
// are stuck. After its next heartbeat passes assign no more items to it.
func (r *Runner) releaseAssigned(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.statementTime())
	defer cancel()
	if n, err := r.o.Store.ReleaseAssigned(ctx, r.worker.ID, r.worker.InstanceID); err != nil {
		r.o.Log.Warn().Err(err).Msg("could not release assigned items; a later assignment pass moves them")
	} else if n > 0 {
		r.o.Log.Warn().Int("items", n).Msg("released assigned items: all slots are stuck")
	}
}
