package scheduler

import (
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// resume goes on with the firing that could not be started when it was due.
func (r *runner) resume() error {
	if r.won != nil {
		if _, ok := r.reserve(); !ok {
			return nil // a run on request came first; its end rings
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

// fire starts a run, unless something speaks against it. The firing is settled
// when nothing is left to do about its instant: it runs, waits in the queue, was
// skipped, or is another worker's.
func (r *runner) fire(start Start) (settled bool, err error) {
	if r.waiting != nil { // even if the run has ended meanwhile: the first comes first
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
			return false, err
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

// startWon starts the run of a claimed firing; the place is reserved. If its
// start cannot be recorded it is tried again however late it gets: the record
// says already that it was fired.
func (r *runner) startWon() error {
	if err := r.start(*r.won, nil); err != nil {
		r.release()
		return err
	}
	r.won = nil
	return nil
}

// contend claims an instant for this worker. A run elsewhere is looked for
// before the claim, so that a firing which is then skipped gets one row only.
func (r *runner) contend(start Start) (won, settled bool, err error) {
	since, running, err := r.runsElsewhere()
	if err != nil {
		return false, false, err
	}
	if running {
		// It may be the run of this very instant, which others have fired.
		record, err := r.record(start.PlannedAt)
		if err != nil || record != nil {
			return false, err == nil, err
		}
		r.overlap(start, fmt.Sprintf("previous run, started at %s on another worker, is still going on",
			since.UTC().Format(time.RFC3339)))
		if r.waiting != nil {
			r.lookAgain(elsewherePoll)
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
		r.lookAgain(claim.Early)
		return false, false, nil
	}
	if !claim.Won && r.doubt.Equal(start.PlannedAt) {
		// An earlier claim of this process went out, and its answer was lost.
		claim.Won, err = r.wonUnheard(start.PlannedAt)
		if err != nil {
			return false, false, err
		}
	}
	if !claim.Won {
		r.log.Debug().Time("planned_at", start.PlannedAt).Msg("another worker started this scheduled run")
	}
	return claim.Won, true, nil
}

// wonUnheard reports whether a claim of this process succeeded although its answer was lost. The
// record names the worker, and an earlier process of that name may have fired the instant too:
// then its run is on record. This process starts none before it knows.
func (r *runner) wonUnheard(planned time.Time) (bool, error) {
	record, err := r.record(planned)
	if err != nil || record == nil || record.Outcome != workqueue.Fired || record.RecordedBy != r.s.worker.Name {
		return false, err
	}
	ctx, cancel := r.storeCtx()
	defer cancel()
	runs, err := r.s.store.Runs(ctx, r.job.Name, maxBacklog)
	if err != nil {
		return false, fmt.Errorf("look for the run of the firing: %w", err)
	}
	return !slices.ContainsFunc(runs, func(run workqueue.PipelineRun) bool {
		return run.PlannedAt != nil && run.PlannedAt.Equal(planned)
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

// record returns what is on record of an instant, nil if nothing is.
func (r *runner) record(planned time.Time) (*workqueue.Firing, error) {
	ctx, cancel := r.storeCtx()
	defer cancel()
	records, err := r.s.store.Firings(ctx, r.job.Name, maxBacklog)
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

// overlap queues or skips a firing that found a run going on.
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
