package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Session is one run of a system pipeline as this worker's dispatcher sees it. While it is
// open, the worker gives each free slot to the most urgent due item of the session's
// priorities: those of all its steps, from the start of the first step that executes items to
// the end of the last one. A step waits for the items of its priorities, but occupies no slot.
//
// Methods are safe for concurrent use; those of a nil Session do nothing.
type Session struct {
	o     SessionOptions
	d     *dispatcher
	until time.Time // when it stops waiting for new work; zero: it never waits

	// The rest is guarded by d.mu.

	steps   []*step
	opened  bool // its first step that executes items has started
	leaving bool // it ends as soon as it has nothing to do
	halted  bool // it starts no more items
	closed  bool // it does not look for more work

	passState
}

// SessionOptions describe the run.
type SessionOptions struct {
	// Steps are the steps that execute items, in order. A step whose priorities are known only
	// when it begins has the zero Band, and opens them then.
	Steps []SessionStep

	// Wakes is true if Wake is called for new work: then the session does not repeat a pass
	// that left no items.
	Wakes bool

	// StayFor is how long after its start the session still waits for new work when it has
	// nothing to do; 0: it does not wait. A waiting session costs nothing, and no new run must
	// be recorded for each new item.
	StayFor time.Duration
}

// SessionStep is a step that executes items.
type SessionStep struct {
	Name string
	Band workqueue.Band
}

// NewSession returns a session for a run that begins now. Its End must be called.
func (r *Runner) NewSession(o SessionOptions) *Session {
	s := &Session{o: o, d: r.dispatch, passState: newPassState()}
	if o.StayFor > 0 {
		s.until = time.Now().Add(o.StayFor)
	}
	for _, of := range o.Steps {
		s.steps = append(s.steps, &step{session: s, name: of.Name, band: of.Band})
	}
	return s
}

// errHalted ends the steps of a halted session.
var errHalted = errors.New("the session was halted")

type sessionKey struct{}

// With returns a context for the steps of the run.
func (s *Session) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf returns the session of the run that a context belongs to; nil if it has none.
func SessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// Wake makes the session look for work: by a pass for waiting items, or only for items that are
// assigned to this worker. It returns false if the session does not look for more work.
func (s *Session) Wake(pass bool) bool {
	if s == nil {
		return false
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.closed {
		return false
	}
	s.wake(pass, time.Now())
	s.d.unplaced = true
	if !pass || len(s.passes) == 0 { // else the pass shows whether there is something to claim
		s.d.mayClaim()
	}
	s.d.poke()
	return true
}

// Tick makes the session look for work because its pipeline is due again during this run: this
// run does the work of the next one.
func (s *Session) Tick() {
	if s == nil {
		return
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.opened && !s.closed {
		s.sweep(time.Now())
		s.d.mayClaim()
		s.d.poke()
	}
}

// Leave ends the session as soon as it has nothing to do.
func (s *Session) Leave() {
	if s == nil {
		return
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.leaving = true
	s.d.poke()
}

// Halt makes the session start no more items, because its pipeline was paused: its steps end when
// the running items have ended. Claimed items that have not begun are given back.
func (s *Session) Halt() {
	if s == nil {
		return
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.halted {
		return
	}
	s.halted, s.leaving, s.closed = true, true, true
	for _, st := range s.steps {
		if st.stopped == nil {
			st.stopped = errHalted
		}
	}
	s.d.runs.releaseClosed()
	s.d.poke()
}

// End closes the session when its run has ended, and reports whether it was woken and has not
// looked for work since.
func (s *Session) End() (unseen bool) {
	if s == nil {
		return false
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.closed = true
	for _, st := range s.steps {
		st.ended = true
	}
	s.d.leave(s)
	return s.unseen
}

// Moved returns how many items the session has assigned and claimed, so that a caller of Wake
// sees whether waking has an effect.
func (s *Session) Moved() int {
	if s == nil {
		return 0
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	return s.moved
}

// recordPass stores a pass that a step of the run has made, so that the session can repeat it.
func (s *Session) recordPass(p assign.AssignParams, result assign.AssignResult) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.addPass(p, result)
}

// stays reports whether the session waits for new work when it has nothing to do.
func (s *Session) stays(now time.Time) bool { return !s.leaving && now.Before(s.until) }

// last reports whether st is the last step that executes items.
func (s *Session) last(st *step) bool { return s.steps[len(s.steps)-1] == st }

// stepFor returns the step that an item of a priority counts for: the first one that has not
// ended; nil if no step runs such items.
func (s *Session) stepFor(priority int) *step {
	for _, st := range s.steps {
		if st.open() && st.band.Contains(priority) {
			return st
		}
	}
	return nil
}

// bands returns the open priorities.
func (s *Session) bands() (list []workqueue.Band) {
	for _, st := range s.steps {
		if st.open() {
			list = append(list, st.band)
		}
	}
	return list
}

// refills reports whether a waiting step has Refill set.
func (s *Session) refills() bool {
	for _, st := range s.steps {
		if st.waits() && st.refill {
			return true
		}
	}
	return false
}

// busy reports whether items of the session run or have results that are not written.
func (s *Session) busy() bool {
	for _, st := range s.steps {
		if st.items > 0 {
			return true
		}
	}
	return false
}

// beginBrief reports whether the pass can skip abandoned and expired items: a pass looked for
// them a few seconds ago, and no scheduled run asks for it.
func (s *Session) beginBrief(f *fetch, now time.Time) bool {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	sweep := !s.swept || f.ahead && now.Sub(s.fullPass) >= assign.RefillEvery
	s.swept = true
	if sweep {
		s.fullPass = now
	}
	return !sweep
}
