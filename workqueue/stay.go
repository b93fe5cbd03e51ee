package workqueue

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Stay is how a run of a pipeline learns of work that comes while it goes on: the
// Execute of its steps looks again when it is woken, and that of its last such
// step may stay for a while when there is nothing left. A run that stays costs
// nothing, and spares whatever begins and ends a run for each item that comes.
//
// Methods may be called from several goroutines at once; all of a nil one do
// nothing.
type Stay struct {
	// Step is the name of the last step that executes. Band is what all that execute
	// run together: the last one runs it, and any that is woken, so that what comes
	// need not wait for another step, or run. The zero Band leaves each its own.
	Step string
	Band Band

	until time.Time // zero: it does not stay

	token chan struct{} // holds one when it was woken
	leave chan struct{} // closed when somebody waits for its end

	mu     sync.Mutex
	pass   bool // a pass is wanted, else only a claim
	closed bool
	left   bool
	passes []AssignParams // that the run has made, by band
	moved  int            // items that its passes assigned, and that it claimed

	// more tells that the latest pass has left items, for which the end of others
	// may make room; asked, that it was repeated since the last of them ended.
	more, asked bool
}

// NewStay returns one for a run that begins now. The run stays for so long
// altogether; 0: it ends when there is nothing left.
func NewStay(atMost time.Duration) *Stay {
	s := &Stay{token: make(chan struct{}, 1), leave: make(chan struct{}), more: true}
	if atMost > 0 {
		s.until = time.Now().Add(atMost)
	}
	return s
}

type stayKey struct{}

// With returns a context for the run.
func (s *Stay) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, stayKey{}, s)
}

// StayOf returns the one of the run that a context belongs to; nil: it has none.
func StayOf(ctx context.Context) *Stay {
	s, _ := ctx.Value(stayKey{}).(*Stay)
	return s
}

// Wake has the run look for work: for what waits, by a pass, or only for what is
// assigned to this worker. false: it looks for nothing more.
func (s *Stay) Wake(pass bool) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.pass = s.pass || pass
	select {
	case s.token <- struct{}{}:
	default:
	}
	return true
}

// Leave has the run end as soon as it has nothing left to do.
func (s *Stay) Leave() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.left = true
		close(s.leave)
	}
}

// End notes that the run looks for nothing more, and tells whether it was woken
// and has not looked.
func (s *Stay) End() (unseen bool) {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	select {
	case <-s.token:
		return true
	default:
		return false
	}
}

// Moved counts what the run has assigned and claimed. Who wakes it again and again
// sees by it whether that leads to anything.
func (s *Stay) Moved() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// close ends the looking unless it was woken meanwhile: false. A run that is to
// leave is left whatever comes: the next one sees it.
func (s *Stay) close() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.token) > 0 && !s.left {
		return false
	}
	s.closed = true
	return true
}

// woken holds a token when it was woken; nil for a nil one.
func (s *Stay) woken() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.token
}

// wanted tells, once, whether a pass is wanted.
func (s *Stay) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pass := s.pass
	s.pass = false
	return pass
}

// made notes a pass that a step of the run has made, to repeat it.
func (s *Stay) made(p AssignParams, result AssignResult) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := len(s.passes) == 0
	s.passes = slices.DeleteFunc(s.passes, func(old AssignParams) bool { return old.Band == p.Band })
	s.passes = append(s.passes, p)
	s.more = result.Left || s.more && !first
	s.moved += result.Assigned
}

// note keeps what came of the repeated passes; busy tells that items were under way when
// they began, whose ends make room yet.
func (s *Stay) note(left bool, assigned int, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more, s.asked = left, assigned == 0 && !busy
	s.moved += assigned
}

// leftOver tells whether a pass may find more than the last one did.
func (s *Stay) leftOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.more && !s.asked
}

// repeats are the passes that the run has made and that have a priority in common
// with a band.
func (s *Stay) repeats(band Band) []AssignParams {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.passes), func(p AssignParams) bool { return !p.Band.Overlaps(band) })
}

// claimed notes items that the run has claimed: their ends will make room.
func (s *Stay) claimed(items int) {
	if s == nil || items == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved += items
	s.asked = false
}
