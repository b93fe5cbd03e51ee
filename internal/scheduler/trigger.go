package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// BusyError says that a run on request did not start because a run of the same
// pipeline goes on.
type BusyError struct {
	Pipeline string
	Reason   string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("pipeline %q is not started: %s; try again when it has ended", e.Pipeline, e.Reason)
}

// Trigger runs a job on request, on this worker, and returns the run's error
// when it has ended. It works before Start and never queues: *BusyError when a
// run goes on, whatever the job's overlap. When ctx ends Trigger returns, and the
// run goes on.
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

// Wake starts a run because abandoned items were found, unless one goes
// on already. It returns at once; a run that cannot be started is logged.
func (s *Scheduler) Wake(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runners[name]
	if !ok || s.stopping {
		return
	}
	s.runs.Go(func() {
		err := r.startNow(TriggerStranded, nil)
		switch busy := (*BusyError)(nil); {
		case err == nil:
			r.log.Info().Msg("started early: found abandoned items")
		case !errors.As(err, &busy):
			r.log.Warn().Err(err).Msg("found abandoned items; they wait until the next run")
		}
	})
}

func (r *runner) request(ctx context.Context) error {
	done := make(chan error, 1)
	if err := r.startNow(TriggerRequest, done); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for pipeline %q, which runs on: %w", r.job.Name, context.Cause(ctx))
	}
}

// startNow starts a run that no schedule planned; its error goes to done, unless
// nil. *BusyError: a run goes on.
func (r *runner) startNow(trigger string, done chan<- error) error {
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
	if err := r.start(Start{Trigger: trigger}, done); err != nil {
		r.release()
		return fmt.Errorf("start pipeline %q: %w", r.job.Name, err)
	}
	return nil
}
