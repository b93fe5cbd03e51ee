package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// BusyError is the error of a requested run that did not start because a run of the same
// pipeline is active.
type BusyError struct {
	Pipeline string
	Reason   string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("pipeline %q is not started: %s; try again when it has ended", e.Pipeline, e.Reason)
}

// Trigger runs a job on request, on this worker, and returns the run's error when it has
// ended. It works before Start and never queues: it returns a *BusyError if a run is
// active, whatever the job's overlap, and a *workqueue.PausedError if the pipeline is paused. When ctx ends, Trigger returns, and the run
// continues.
func (s *Scheduler) Trigger(ctx context.Context, name string) error {
	s.mu.Lock()
	r, ok := s.runners[name]
	known := slices.Sorted(maps.Keys(s.runners))
	if !ok || s.stopping {
		s.mu.Unlock()
		if !ok {
			return fmt.Errorf("no system pipeline is called %q; known: %q", name, known)
		}
		return fmt.Errorf("start pipeline %q: %w", name, ErrStopped)
	}
	s.runs.Add(1) // under the lock: Stop must not have begun to wait
	s.mu.Unlock()
	defer s.runs.Done()
	return r.request(ctx)
}

// Wake starts a run because abandoned items were found, unless one is active. It returns
// at once; a run that cannot be started is logged.
func (s *Scheduler) Wake(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runners[name]
	if !ok || s.stopping {
		return
	}
	s.runs.Go(func() {
		err := r.startNow(Start{Trigger: TriggerStranded}, nil)
		_, paused := errors.AsType[*workqueue.PausedError](err)
		switch busy := (*BusyError)(nil); {
		case err == nil:
			r.log.Info().Msg("started early: found abandoned items")
		case !errors.As(err, &busy) && !paused:
			r.log.Warn().Err(err).Msg("found abandoned items; they wait until the next run")
		}
	})
}

func (r *runner) request(ctx context.Context) error {
	done := make(chan error, 1)
	if err := r.startNow(Start{Trigger: TriggerRequest, By: r.s.by}, done); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for pipeline %q, which runs on: %w", r.job.Name, context.Cause(ctx))
	}
}

// startNow starts an unplanned run; its error is sent to done, unless done is nil. It
// returns a *BusyError if a run is active, and a *workqueue.PausedError if the pipeline is
// paused.
func (r *runner) startNow(start Start, done chan<- error) error {
	running, ok := r.reserve()
	if !ok {
		return &BusyError{Pipeline: r.job.Name, Reason: running.describe()}
	}
	if r.job.Scope == ScopeOnce {
		since, busy, err := r.runsElsewhere()
		if err != nil || busy {
			r.release()
			if err != nil {
				return fmt.Errorf("start pipeline %q: %w", r.job.Name, err)
			}
			return &BusyError{Pipeline: r.job.Name, Reason: fmt.Sprintf(
				"a run, started at %s on another worker, is still going on", since.UTC().Format(time.RFC3339))}
		}
	}
	if err := r.start(start, done); err != nil {
		r.release()
		return fmt.Errorf("start pipeline %q: %w", r.job.Name, err)
	}
	return nil
}
