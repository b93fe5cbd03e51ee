package runner

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Session is one run of a system pipeline as this worker's dispatcher sees it.
// While it is open the worker gives each free slot to the most urgent due item of
// the priorities that the session's steps run: those of all its steps, from the
// first one that executes until the last one has ended. A step waits for the items
// of its priorities, but holds no slot by that.
//
// Methods may be called from several goroutines at once; all of a nil one do
// nothing.
type Session struct {
	o     SessionOptions
	d     *dispatcher
	until time.Time // when it no longer stays for new work; zero: it never does

	// The rest is guarded by d.mu.

	steps   []*step
	opened  bool // its first step that executes has begun
	leaving bool // it ends as soon as it has nothing left to do
	closed  bool // it looks for no more work

	passState
}

// SessionOptions describe the run.
type SessionOptions struct {
	// Steps are those that execute items, in their order. A step whose priorities are
	// known only when it begins has the zero Band, and opens them then.
	Steps []SessionStep

	// Wakes reports that Wake tells of new work: the session need not repeat a pass
	// that left nothing.
	Wakes bool

	// StayFor is how long the session waits for new work, altogether, when it has
	// nothing left to do; 0: it ends then. A session that stays costs nothing, and
	// spares the records of a run for each item that comes.
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

type sessionKey struct{}

// With returns a context for the steps of the run.
func (s *Session) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf returns the session of the run that a context belongs to; nil: it has
// none.
func SessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// Wake has the session look for work: for items that wait, by a pass, or only for
// those that are assigned to this worker. It reports false when the session looks
// for nothing more.
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
	if !pass || len(s.passes) == 0 { // else the pass tells whether there is something to claim
		s.d.mayClaim()
	}
	s.d.poke()
	return true
}

// Tick has the session look for work because its pipeline is due again while this
// run goes on: the run does what the next one would have done.
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

// Leave has the session end as soon as it has nothing left to do.
func (s *Session) Leave() {
	if s == nil {
		return
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.leaving = true
	s.d.poke()
}

// End closes the session when its run has ended, and reports whether it was woken
// and has not looked since.
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

// Moved counts the items that the session has assigned and claimed: who wakes it
// again and again sees by it whether that leads to anything.
func (s *Session) Moved() int {
	if s == nil {
		return 0
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	return s.moved
}

// notePass keeps a pass that a step of the run has made, to repeat it.
func (s *Session) notePass(p assign.AssignParams, result assign.AssignResult) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.made(p, result)
}

// stays reports whether the session waits for more when nothing is left.
func (s *Session) stays(now time.Time) bool { return !s.leaving && now.Before(s.until) }

// last reports whether no step that executes comes after st.
func (s *Session) last(st *step) bool { return s.steps[len(s.steps)-1] == st }

// stepFor is the step that an item of a priority counts for: the first that has not
// ended; nil when none runs such items.
func (s *Session) stepFor(priority int) *step {
	for _, st := range s.steps {
		if st.open() && st.band.Contains(priority) {
			return st
		}
	}
	return nil
}

// bands are the priorities that are open.
func (s *Session) bands() (list []workqueue.Band) {
	for _, st := range s.steps {
		if st.open() {
			list = append(list, st.band)
		}
	}
	return list
}

// refills reports whether some step that waits asks for more items by itself.
func (s *Session) refills() bool {
	for _, st := range s.steps {
		if st.waits() && st.refill {
			return true
		}
	}
	return false
}

// busy reports whether items of the session run, or their ends are not written.
func (s *Session) busy() bool {
	for _, st := range s.steps {
		if st.items > 0 {
			return true
		}
	}
	return false
}

// beginBrief reports whether the look for what is to be freed can be left out: a
// pass has had it a few seconds ago, and no tick asks for it.
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
