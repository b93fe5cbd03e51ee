package scheduler

import (
	"errors"
	"time"

	"botwork/workqueue"
)

const (
	// wakeEvery is the minimum time from one woken run to the next, unless a firing ended
	// the first one. It limits the number of recorded runs if runs do not look for new
	// work while they are active.
	wakeEvery = time.Second

	// leaveWithin is how long a firing waits for a woken run that was asked to end. A run
	// with work takes longer; then the job's overlap applies.
	leaveWithin = 5 * time.Second
)

// WakeUp starts a run because there is new work, at once or when the active run has
// ended: no work is forgotten, and several calls within a short time start one run. It
// returns at once. It does nothing before Start and for an unknown name.
func (s *Scheduler) WakeUp(name string) {
	s.mu.Lock()
	r, ok := s.runners[name]
	ok = ok && s.alarms != nil && !s.stopping
	s.mu.Unlock()
	if !ok {
		return
	}
	r.place.mu.Lock()
	r.place.woken = true
	r.place.mu.Unlock()
	r.ring()
}

// wakeUp starts a run for new work, if there is any.
func (r *runner) wakeUp() error {
	p := r.place
	p.mu.Lock()
	woken, wait, held := p.woken, time.Until(p.wakeAt), p.paused != nil || p.requested
	p.mu.Unlock()
	if !woken || r.waiting != nil || held { // the end of the pause, and of the requested run, rings
		return nil
	}
	if wait > 0 {
		r.checkAgain(wait)
		return nil
	}
	if _, ok := r.reserve(); !ok {
		return nil // its end rings
	}
	p.mu.Lock()
	p.woken, p.run.woken, p.wakeAt = false, true, time.Now().Add(wakeEvery)
	p.mu.Unlock()
	err := r.start(Start{Trigger: TriggerWake}, nil)
	if err != nil {
		r.release()
		p.mu.Lock()
		p.woken = true
		p.mu.Unlock()
	}
	if _, paused := errors.AsType[*workqueue.PausedError](err); paused {
		return nil
	}
	return err
}

// backOff records how a run ended: after a failure, the next woken run waits.
func (r *runner) backOff(failed bool) {
	p := r.place
	p.mu.Lock()
	defer p.mu.Unlock()
	if !failed {
		p.failures = 0
		return
	}
	if p.run.woken {
		p.wakeAt = time.Now().Add(r.pause(p.failures))
		p.failures++
	}
}

// yields makes a firing wait for a woken run: usually that run waits for work, and ends
// when it is asked to.
func (r *runner) yields(running activity, start Start) bool {
	if !running.woken {
		return false
	}
	if !r.asked.IsZero() && time.Since(r.asked) >= leaveWithin {
		r.asked = time.Time{}
		return false
	}
	if leave := r.work.Load().Leave; leave != nil {
		leave()
		// The run ends early, and the next one must not wait for wakeEvery: the schedule
		// limits the number of such runs.
		r.place.mu.Lock()
		r.place.wakeAt = time.Time{}
		r.place.mu.Unlock()
	}
	return r.await(start, running)
}

// await delays a firing until the run has ended, or for some seconds.
func (r *runner) await(start Start, running activity) bool {
	if r.asked.IsZero() {
		r.asked = time.Now()
	}
	r.waiting, r.waitsFor = &start, running.describe()
	r.checkAgain(leaveWithin - time.Since(r.asked))
	return true
}
