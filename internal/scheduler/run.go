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

// finishTries is how often the end of a run is recorded before it is given up:
// about four minutes.
const finishTries = 12

// sweepLimit is how many of the latest runs are searched for orphans.
const sweepLimit = 100

// errNoReturn is the error of a run that left its goroutine without returning.
var errNoReturn = errors.New("the run ended its goroutine without returning")

// start records the run and starts it in a goroutine of its own; the place is
// reserved, and stays so on an error. The run's error goes to done, unless nil.
func (r *runner) start(start Start, done chan<- error) error {
	ctx, cancel := r.storeCtx()
	defer cancel()
	work := r.work.Load()
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
	id, err := r.s.store.StartRun(ctx, run)
	if err != nil {
		r.orphans.Store(true) // the row may be there all the same
		return fmt.Errorf("record the start of the run: %w", err)
	}
	r.s.runs.Go(func() { r.execute(id, work, start, done) })
	return nil
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
		r.finish(id, err)
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

// call makes an error of a panic: one pipeline must not end all the others.
func (r *runner) call(work *Work, start Start) (report Report, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error().Str("stack", string(debug.Stack())).EmbedObject(start).Str("panic", fmt.Sprint(v)).Msg("run panicked")
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return work.Run(r.s.runCtx, start)
}

// finish records the end of the run, patiently.
func (r *runner) finish(id int64, runErr error) {
	r.place.mu.Lock()
	r.place.run.ended = true
	r.place.mu.Unlock()
	outcome, text := workqueue.RunSucceeded, ""
	if runErr != nil {
		outcome, text = workqueue.RunFailed, runErr.Error()
	}
	for tries := 1; ; tries++ {
		err := r.finishRun(id, outcome, text)
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

func (r *runner) finishRun(id int64, outcome workqueue.RunOutcome, text string) error {
	ctx, cancel := context.WithTimeout(r.s.finishCtx, storeTimeout)
	defer cancel()
	return r.s.store.FinishRun(ctx, id, outcome, text, "")
}

// sweep ends the runs that this worker has on record as running although
// nothing runs. They would keep other workers from firing for ever.
func (r *runner) sweep() error {
	if !r.orphans.Load() {
		return nil
	}
	if _, ok := r.reserve(); !ok {
		return nil // what runs now is on record too; another time
	}
	defer r.release()
	ctx, cancel := r.storeCtx()
	defer cancel()
	runs, err := r.s.store.Runs(ctx, r.job.Name, sweepLimit)
	if err != nil {
		return fmt.Errorf("look for unfinished runs: %w", err)
	}
	for _, run := range runs {
		if run.Outcome != workqueue.RunRunning || run.WorkerID == nil || *run.WorkerID != r.s.worker.ID {
			continue
		}
		const text = "the process died, or lost the database, before the end of the run was recorded"
		if err := r.finishRun(run.ID, workqueue.RunFailed, text); err != nil {
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
