package scheduler

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// finishTries is how often the scheduler tries to record the end of a run: for about four
// minutes.
const finishTries = 12

// sweepLimit is how many of the latest runs are searched for orphans.
const sweepLimit = 100

// errNoReturn is the error of a run that left its goroutine without returning.
var errNoReturn = errors.New("the run ended its goroutine without returning")

// start records the run and starts it in a new goroutine; the place is reserved, and
// remains reserved after an error. The run's error is sent to done, unless done is nil. The
// error is a *workqueue.PausedError if the pipeline is paused.
func (r *runner) start(start Start, done chan<- error) error {
	ctx, cancel := r.storeCtx()
	defer cancel()
	work := r.work.Load()
	id, err := r.s.store.StartRun(ctx, r.record(start, work))
	if paused, ok := errors.AsType[*workqueue.PausedError](err); ok {
		r.setPause(&paused.PipelinePause)
		return paused
	}
	if err != nil {
		r.orphans.Store(true) // the row may exist anyway
		return fmt.Errorf("record the start of the run: %w", err)
	}
	r.observeStart(start)
	r.s.runs.Go(func() { r.execute(id, work, start, done) })
	return nil
}

// observeStart reports how late a planned run starts, by the schedule's clock. Runs that start for
// another reason have no lateness, although a backfill and a run at start may have a planned time.
func (r *runner) observeStart(start Start) {
	switch start.Trigger {
	case TriggerCron, TriggerEvery, TriggerCatchUp:
		r.s.started(r.job.Name, max(r.localTime().Sub(start.PlannedAt), 0))
	}
}

// record returns the row of a run that starts.
func (r *runner) record(start Start, work *Work) workqueue.PipelineRun {
	run := workqueue.PipelineRun{
		Pipeline: r.job.Name,
		Trigger:  start.Trigger,
		WorkerID: &r.s.worker.ID,
		Outcome:  workqueue.RunRunning,
	}
	if !start.PlannedAt.IsZero() {
		run.PlannedAt = &start.PlannedAt
	}
	if work.Hash != "" {
		run.PipelineHash = &work.Hash
	}
	if start.By != "" {
		run.RequestedBy = &start.By
	}
	return run
}

// execute runs the job from its recorded start to its recorded end.
func (r *runner) execute(id int64, work *Work, start Start, done chan<- error) {
	log := r.log.With().Int64("run_id", id).EmbedObject(start).Logger()
	log.Debug().Msg("run started")
	began, err := time.Now(), errNoReturn
	var report Report
	defer func() {
		r.logEnd(&log, report, time.Since(began), err)
		r.backOff(err != nil)
		r.finish(id, report, err)
		r.release()
		r.ring()
		if done != nil {
			done <- err
		}
	}()
	report, err = r.call(work, start)
}

// logEnd logs the end of a run: at info level if it did something.
func (r *runner) logEnd(log *zerolog.Logger, report Report, took time.Duration, err error) {
	level, message := zerolog.InfoLevel, "run succeeded"
	switch {
	case err != nil:
		level, message = zerolog.ErrorLevel, "run failed"
	case report.Idle:
		level = zerolog.DebugLevel
	}
	log.WithLevel(level).Err(err).EmbedObject(report.Counts).Int64("took_ms", took.Milliseconds()).Msg(message)
}

// call returns a panic as an error, so that one pipeline does not end all others.
func (r *runner) call(work *Work, start Start) (report Report, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error().Str("stack", string(debug.Stack())).EmbedObject(start).Str("panic", fmt.Sprint(v)).Msg("run panicked")
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return work.Run(r.s.runCtx, start)
}

// finish records the end of the run, with retries.
func (r *runner) finish(id int64, report Report, runErr error) {
	r.place.mu.Lock()
	r.place.run.ended = true
	r.place.mu.Unlock()
	end := workqueue.RunEnd{Outcome: workqueue.RunSucceeded, Summary: report.Summary}
	if runErr != nil {
		end.Outcome, end.Step, end.Error = workqueue.RunFailed, report.Step, runErr.Error()
	}
	for tries := 1; ; tries++ {
		err := r.finishRun(id, end)
		if err == nil {
			return
		}
		if tries == finishTries || errors.Is(err, workqueue.ErrDatabaseLost) || !sleep(r.s.finishCtx, r.pause(tries-1)) {
			r.log.Error().Err(err).Int64("run_id", id).Msg("could not record the end of the run")
			r.orphans.Store(true)
			return
		}
	}
}

func (r *runner) finishRun(id int64, end workqueue.RunEnd) error {
	ctx, cancel := context.WithTimeout(r.s.finishCtx, storeTimeout)
	defer cancel()
	return r.s.store.FinishRun(ctx, id, end)
}

// sweep ends the recorded runs of this worker that are no longer running. Otherwise they
// would prevent runs on other workers forever.
func (r *runner) sweep() error {
	if !r.orphans.Load() {
		return nil
	}
	if _, ok := r.reserve(); !ok {
		return nil // the current run is recorded too; sweep later
	}
	defer r.release()
	ctx, cancel := r.storeCtx()
	defer cancel()
	runs, err := r.s.store.Runs(ctx, workqueue.RunFilter{Pipeline: r.job.Name, Limit: sweepLimit})
	if err != nil {
		return fmt.Errorf("look for unfinished runs: %w", err)
	}
	for _, run := range runs {
		if run.Outcome != workqueue.RunRunning || run.WorkerID == nil || *run.WorkerID != r.s.worker.ID {
			continue
		}
		const text = "the process died, or lost the database, before the end of the run was recorded"
		if err := r.finishRun(run.ID, workqueue.RunEnd{Outcome: workqueue.RunFailed, Error: text}); err != nil {
			return fmt.Errorf("finish the left-over run %d: %w", run.ID, err)
		}
		r.log.Warn().Int64("run_id", run.ID).Msg("found an unfinished run; recorded it as failed")
	}
	r.orphans.Store(false)
	return nil
}

// sleep waits for d, or returns false when ctx ends.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
