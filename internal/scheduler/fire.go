package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// resume retries the firing that could not be started when it was due.
func (r *runner) resume() error {
	if r.won != nil {
		if _, ok := r.reserve(); !ok {
			return nil // a requested run started first; its end rings
		}
		return r.startWon()
	}
	if r.waiting == nil {
		return nil
	}
	waiting := *r.waiting
	r.waiting = nil
	settled, err := r.fire(waiting)
	if !settled {
		r.waiting = &waiting
	}
	return err
}

// fire starts a run if possible. The firing is settled if nothing is left to do for its
// instant: it runs, is queued, was skipped, or belongs to another worker.
func (r *runner) fire(start Start) (settled bool, err error) {
	if r.waiting != nil { // even if the run has ended in the meantime: the queued firing is first
		r.overlap(start, r.waitsFor)
		return true, nil
	}
	if running, ok := r.reserve(); !ok {
		if tick := r.work.Load().Tick; tick != nil {
			tick()
		}
		if !r.yields(running, start) {
			r.overlap(start, running.describe())
		}
		return true, nil
	}
	r.asked = time.Time{}
	if r.job.Scope == ScopeEachWorker {
		if err := r.start(start, nil); err != nil {
			r.release()
			return r.skipPaused(start, err)
		}
		return true, nil
	}
	won, settled, err := r.contend(start)
	if !won {
		r.release()
		return settled, err
	}
	r.won = &start
	return true, r.startWon()
}

// startWon starts the run of a claimed firing; the place is reserved. If its start cannot
// be recorded, it is retried without a time limit, because the firing is already recorded.
func (r *runner) startWon() error {
	err := r.start(*r.won, nil)
	if err != nil {
		r.release()
	}
	if paused, ok := errors.AsType[*workqueue.PausedError](err); ok {
		err = r.skipWon(paused)
	}
	if err == nil {
		r.won = nil
	}
	return err
}

// skipWon records that a claimed firing does not run, because the pipeline was paused after the
// claim.
func (r *runner) skipWon(paused *workqueue.PausedError) error {
	ctx, cancel := r.storeCtx()
	defer cancel()
	if err := r.s.store.SkipFiring(ctx, r.firing(r.won.PlannedAt, workqueue.Skipped, paused.String())); err != nil {
		return fmt.Errorf("record that the firing is skipped: %w", err)
	}
	return nil
}

// skipPaused skips a firing if err is a *workqueue.PausedError.
func (r *runner) skipPaused(start Start, err error) (settled bool, _ error) {
	paused, ok := errors.AsType[*workqueue.PausedError](err)
	if !ok {
		return false, err
	}
	r.log.Debug().EmbedObject(start).Str("reason", paused.String()).Msg("skipped scheduled run") // the pause itself is logged once
	r.recordSkip(start, paused.String())
	return true, nil
}

// contend claims an instant for this worker. It first checks for runs on other workers, so
// that a skipped firing gets only one row.
func (r *runner) contend(start Start) (won, settled bool, err error) {
	since, running, err := r.runsElsewhere()
	if err != nil {
		return false, false, err
	}
	if running {
		// It may be the run of this instant, which another worker has fired.
		record, err := r.firingRecord(start.PlannedAt)
		if err != nil || record != nil {
			return false, err == nil, err
		}
		r.overlap(start, fmt.Sprintf("previous run, started at %s on another worker, is still going on",
			since.UTC().Format(time.RFC3339)))
		if r.waiting != nil {
			r.checkAgain(elsewherePoll)
		}
		return false, true, nil
	}
	ctx, cancel := r.storeCtx()
	defer cancel()
	claim, err := r.s.store.ClaimFiring(ctx, r.firing(start.PlannedAt, workqueue.Fired, ""))
	if err != nil {
		r.doubt = start.PlannedAt
		return false, false, fmt.Errorf("claim the firing: %w", err)
	}
	if claim.Early > 0 {
		r.checkAgain(claim.Early)
		return false, false, nil
	}
	if claim.Paused != nil {
		r.setPause(&claim.Paused.PipelinePause)
		settled, err := r.skipPaused(start, claim.Paused)
		return false, settled, err
	}
	if !claim.Won && r.doubt.Equal(start.PlannedAt) {
		// The answer to an earlier claim of this process was lost.
		claim.Won, err = r.claimAnswerLost(start.PlannedAt)
		if err != nil {
			return false, false, err
		}
	}
	if !claim.Won {
		r.log.Debug().Time("planned_at", start.PlannedAt).Msg("another worker started this scheduled run")
	}
	return claim.Won, true, nil
}

// claimAnswerLost reports whether a claim of this process succeeded although its answer was lost.
// The record has only the worker's name, so an earlier process of that name may have fired the
// instant: then its run is recorded. This process starts no run before that is known.
func (r *runner) claimAnswerLost(planned time.Time) (bool, error) {
	record, err := r.firingRecord(planned)
	if err != nil || record == nil || record.Outcome != workqueue.Fired || record.RecordedBy != r.s.worker.Name {
		return false, err
	}
	ctx, cancel := r.storeCtx()
	defer cancel()
	runs, err := r.s.store.Runs(ctx, workqueue.RunFilter{Pipeline: r.job.Name, Limit: maxBacklog})
	if err != nil {
		return false, fmt.Errorf("look for the run of the firing: %w", err)
	}
	return !slices.ContainsFunc(runs, func(run workqueue.PipelineRun) bool {
		return run.PlannedAt != nil && run.PlannedAt.Equal(planned) && run.Trigger != TriggerBackfill
	}), nil
}

func (r *runner) runsElsewhere() (since time.Time, running bool, err error) {
	ctx, cancel := r.storeCtx()
	defer cancel()
	since, running, err = r.s.store.RunsElsewhere(ctx, r.job.Name, r.s.worker.ID)
	if err != nil {
		return since, false, fmt.Errorf("look for runs on other workers: %w", err)
	}
	return since, running, nil
}

// firingRecord returns the record of an instant, nil if there is none.
func (r *runner) firingRecord(planned time.Time) (*workqueue.Firing, error) {
	ctx, cancel := r.storeCtx()
	defer cancel()
	records, err := r.s.store.Firings(ctx, workqueue.FiringFilter{Schedule: r.job.Name, Limit: maxBacklog})
	if err != nil {
		return nil, fmt.Errorf("read the latest firings: %w", err)
	}
	for _, f := range records {
		if f.PlannedAt.Equal(planned) && f.Worker == r.workerKey() {
			return &f, nil
		}
	}
	return nil, nil
}

// overlap queues or skips a firing because a run is active.
func (r *runner) overlap(start Start, reason string) {
	if r.job.Overlap == OverlapQueue && r.waiting == nil {
		r.waiting, r.waitsFor = &start, reason
		r.log.Debug().EmbedObject(start).Str("reason", reason).Msg("scheduled run is queued: the previous run is still active")
		return
	}
	if r.waiting != nil {
		reason += fmt.Sprintf(", and the firing planned for %s waits for its end", r.waiting.PlannedAt.Format(time.RFC3339))
	}
	r.skip(start, reason)
}

func (r *runner) skip(start Start, reason string) {
	r.log.Info().EmbedObject(start).Str("reason", reason).Msg("skipped scheduled run")
	r.recordSkip(start, reason)
}

func (r *runner) recordSkip(start Start, reason string) {
	if !start.PlannedAt.IsZero() {
		r.backlog.add(r.firing(start.PlannedAt, workqueue.Skipped, reason))
	}
}

func (a activity) describe() string {
	what := "is still going on"
	if a.ended {
		what = "has ended, but its end cannot be recorded yet"
	}
	return fmt.Sprintf("previous run, started at %s, %s", a.since.Format(time.RFC3339), what)
}
