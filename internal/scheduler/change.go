package scheduler

import (
	"context"
	"fmt"
	"time"
)

// Rework changes what a job does from its next run on; its schedule stays. A run
// that goes on does what it began with. An unknown name is an error.
func (s *Scheduler) Rework(name string, work Work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runners[name]
	if !ok {
		return fmt.Errorf("schedule %q: there is none to change", name)
	}
	r.work.Store(&work)
	return nil
}

// Put takes a job on, or changes its schedule, while the scheduler runs. A run
// that goes on counts as the job's still, and so does a firing that waits for its
// end. The schedule begins now: its instants that lie before are not missed, and it
// does not run at start. What the schedule before had planned up to now, and has
// neither fired nor recorded, is decided about by the rules of the new job; with
// another scope, or without a schedule, it is recorded as skipped.
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

// Remove lets a job go. A run that goes on goes on to its end; a firing that waits
// for it is skipped. So is an instant that has come and is not decided about.
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
		r.forsake(until, "the schedule was removed before this instant was fired")
		r.leave("the schedule was removed")
	})
}

// retire ends the loop and the alarm of a runner. What it leaves is the caller's.
// s.mu is held.
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

// place returns where the runs of a name have theirs: one place, whatever comes
// and goes. s.mu is held.
func (s *Scheduler) place(name string) *place {
	p := s.places[name]
	if p == nil {
		p = &place{rung: make(chan struct{}, 1)}
		s.places[name] = p
	}
	return p
}
