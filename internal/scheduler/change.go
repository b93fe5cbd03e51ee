package scheduler

import (
	"context"
	"fmt"
	"time"
)

// SetWork changes the work of a job from its next run on; its schedule does not change. The
// current run continues with the old work. An unknown name is an error.
func (s *Scheduler) SetWork(name string, work Work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runners[name]
	if !ok {
		return fmt.Errorf("schedule %q: there is none to change", name)
	}
	r.work.Store(&work)
	return nil
}

// Put adds a job, or changes its schedule, while the scheduler runs. The current run still
// belongs to the job, and so does a queued firing. The schedule begins now: earlier planned
// times are not missed, and it does not run at start. Planned times of the previous schedule
// up to now that were neither fired nor recorded are handled by the rules of the new job; if
// the new job has another scope, or no schedule, they are recorded as skipped.
func (s *Scheduler) Put(job Job) error {
	if err := job.validate(); err != nil {
		return err
	}
	job.AtStart = false
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarms == nil || s.stopping {
		return fmt.Errorf("schedule %q: changed before the scheduler was started, or after it was stopped", job.Name)
	}
	r := newRunner(s, job, s.place(job.Name))
	r.fresh, r.startedAt = true, time.Now()
	if err := r.setAlarm(s.alarms); err != nil {
		return err
	}
	before := s.runners[job.Name]
	s.runners[job.Name] = r
	if before == nil {
		s.begin(r)
		return nil
	}
	until := before.localTime()
	s.retire(before)
	ctx := r.context(s.firing)
	s.loops.Go(func() {
		<-before.ended
		r.follow(before, until)
		r.loop(ctx)
	})
	return nil
}

// Remove removes a job. The current run continues to its end; a queued firing is skipped, and
// so is a due one that has not been handled.
func (s *Scheduler) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runners[name]
	if !ok || s.alarms == nil || s.stopping {
		return
	}
	delete(s.runners, name)
	until := r.localTime()
	s.retire(r)
	s.loops.Go(func() {
		<-r.ended
		r.recordMissed(until, "the schedule was removed before this instant was fired")
		r.leave("the schedule was removed")
	})
}

// retire ends the loop and the alarm of a runner. The caller handles its queued and
// unrecorded firings. s.mu is held.
func (s *Scheduler) retire(r *runner) {
	r.retired.Store(true)
	r.stop()
	if r.alarm != nil {
		_ = s.alarms.RemoveJob(r.alarm.ID()) // it would ring a place that others use, which does no harm
	}
}

// begin starts the loop of a runner. s.mu is held.
func (s *Scheduler) begin(r *runner) {
	ctx := r.context(s.firing)
	s.loops.Go(func() { r.loop(ctx) })
}

// context is that of the runner's loop.
func (r *runner) context(of context.Context) context.Context {
	var ctx context.Context
	ctx, r.stop = context.WithCancel(of)
	return ctx
}

// place returns the place of the runs of a name. It stays the same when jobs of that name
// are removed and added again. s.mu is held.
func (s *Scheduler) place(name string) *place {
	p := s.places[name]
	if p == nil {
		p = &place{rung: make(chan struct{}, 1)}
		s.places[name] = p
	}
	return p
}
