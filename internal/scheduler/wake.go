package scheduler

import "time"

const (
	// wakeEvery is the least time from one run that was woken to the next, unless a
	// firing made that one leave. Such a run sees the work that comes while it goes on,
	// so this bounds the records of those that cannot.
	wakeEvery = time.Second

	// leaveWithin is how long a firing waits for a run that was woken and is asked to
	// leave. One that has work goes on for longer, and then what overlap says holds.
	leaveWithin = 5 * time.Second
)

// WakeUp starts a run because there is new work, at once or when the run that goes
// on has ended: no work is forgotten, and whatever comes in one moment is one run.
// It returns at once. It does nothing before Start and for a name that is not
// there.
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
	woken, wait := p.woken, time.Until(p.wakeAt)
	p.mu.Unlock()
	if !woken || r.waiting != nil {
		return nil
	}
	if wait > 0 {
		r.lookAgain(wait)
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
	return err
}

// backOff notes how a run ended: after a failure, the next one that is woken waits.
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

// yields has a firing wait for a run that was woken: that one waits for work, as a
// rule, and ends when it is asked to.
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
		// The run ends before its time, and what comes next shall not wait for that: firings
		// bound how many records this makes.
		r.place.mu.Lock()
		r.place.wakeAt = time.Time{}
		r.place.mu.Unlock()
	}
	return r.await(start, running)
}

// await keeps a firing until the run has ended, or for some seconds.
func (r *runner) await(start Start, running activity) bool {
	if r.asked.IsZero() {
		r.asked = time.Now()
	}
	r.waiting, r.waitsFor = &start, running.describe()
	r.lookAgain(leaveWithin - time.Since(r.asked))
	return true
}
