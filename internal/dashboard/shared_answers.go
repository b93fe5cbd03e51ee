package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"botwork/internal/api/events"
)

// How long an answer serves others than who has asked for it.
const (
	// costShare bounds the part of the time in which an answer is asked for: one that takes long serves longer,
	// for costlyFor at most.
	costShare = 20
	costlyFor = 20 * time.Second

	// An answer that took costly serves for oldFor while a newer one is asked for.
	costly = 50 * time.Millisecond
	oldFor = 2 * time.Minute

	// quietFor is how long an answer serves if nothing has happened that would change it.
	quietFor = 3 * time.Minute

	// failedFor is how long a failure serves who does not wait for answers, and so may come only after it.
	failedFor = 10 * time.Second
)

// mostRunning is how many questions go on without a request at the same time, so that slow ones leave connections to
// the database for others.
const mostRunning = 4

// renewalWait is how long a question waits for others if an older answer serves meanwhile.
const renewalWait = 10 * time.Second

// errLate says that an answer is not there yet.
var errLate = errors.New("the answer is not there yet")

// freshness says which answer is new enough.
type freshness struct {
	age      time.Duration   // one that is younger
	changes  []events.Change // one of the last minutes, if nothing of this has happened since; nil: anything changes it
	patience time.Duration   // how long to wait for one; 0: until it is there
}

// sharedAnswers are answers of the API by who may see them and what was asked. Pages ask for themselves again
// when something happens, so many open browsers ask for the same at the same time.
type sharedAnswers struct {
	quiet   func(since time.Time, changes ...events.Change) bool
	running sync.WaitGroup // of questions that go on without a request
	slots   chan struct{}  // taken by these
	renewal chan struct{}  // taken by the one whose older answer serves meanwhile

	mu      sync.Mutex
	answers map[string]*sharedAnswer
}

func newSharedAnswers(quiet func(since time.Time, changes ...events.Change) bool) *sharedAnswers {
	if quiet == nil {
		quiet = func(time.Time, ...events.Change) bool { return false }
	}
	return &sharedAnswers{quiet: quiet, slots: make(chan struct{}, mostRunning), renewal: make(chan struct{}, 1), answers: map[string]*sharedAnswer{}}
}

type sharedAnswer struct {
	ready chan struct{}   // closed when body and err are set
	old   json.RawMessage // the answer before this one, until it is ready; nil: there is none that serves
	body  json.RawMessage
	err   error

	// These are guarded by the mutex of sharedAnswers.
	asked, ended time.Time // zero: it is being asked for
	keep         time.Duration
}

func (one *sharedAnswer) took() time.Duration { return one.ended.Sub(one.asked) }

// serves reports whether an answer is new enough. One that is being asked for serves everybody. The caller
// holds the mutex.
func (s *sharedAnswers) serves(one *sharedAnswer, f freshness) bool {
	switch {
	case one.ended.IsZero():
		return true
	case one.err != nil:
		return f.patience > 0 && time.Since(one.ended) < failedFor
	case time.Since(one.asked) < f.age || time.Since(one.ended) < min(costShare*one.took(), costlyFor):
		return true
	}
	return f.changes != nil && time.Since(one.asked) < quietFor && s.quiet(one.asked, f.changes...)
}

// get returns the answer for key, which is asked for once at a time. If there is none that is new enough, it is
// asked for; if that takes long, and there is one that is not too old, that is returned meanwhile, with old true.
// The error is errLate if the patience has ended.
func (s *sharedAnswers) get(ctx context.Context, key string, f freshness, ask func() (json.RawMessage, error)) (body json.RawMessage, old bool, err error) {
	s.mu.Lock()
	one := s.answers[key]
	if one == nil || !s.serves(one, f) {
		next := &sharedAnswer{ready: make(chan struct{}), keep: max(slowestPace, f.age)}
		if one != nil && one.err == nil && one.took() >= costly && time.Since(one.asked) < oldFor {
			next.old = one.body
		}
		if f.changes != nil {
			next.keep = quietFor
		}
		s.forgetOld()
		s.answers[key] = next
		s.mu.Unlock()
		one = next
		if next.old == nil && f.patience == 0 {
			s.fill(one, ask)
			return one.body, false, one.err
		}
		s.running.Go(func() {
			defer s.turn(next.old != nil)()
			s.fill(one, ask)
		})
	} else {
		s.mu.Unlock()
	}
	return one.await(ctx, f.patience)
}

// turn waits until a question may go on without a request, and returns what is to be called after it. One whose older
// answer serves meanwhile waits for others of its kind, so that they leave processors for pages, but not for long.
func (s *sharedAnswers) turn(renews bool) (done func()) {
	if renews {
		late := time.NewTimer(renewalWait)
		defer late.Stop()
		select {
		case s.renewal <- struct{}{}:
			return func() { <-s.renewal }
		case <-late.C:
		}
	}
	s.slots <- struct{}{}
	return func() { <-s.slots }
}

// fill asks for an answer.
func (s *sharedAnswers) fill(one *sharedAnswer, ask func() (json.RawMessage, error)) {
	began := time.Now()
	one.body, one.err = ask()
	s.mu.Lock()
	one.asked, one.ended = began, time.Now()
	if one.took() >= costly {
		one.keep = max(one.keep, oldFor)
	}
	s.mu.Unlock()
	close(one.ready)
}

// await returns the answer when it is there, or the one before it.
func (one *sharedAnswer) await(ctx context.Context, patience time.Duration) (body json.RawMessage, old bool, err error) {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	if one.old != nil {
		select {
		case <-one.ready:
			return one.body, false, one.err
		default:
			return one.old, true, nil
		}
	}
	select {
	case <-one.ready:
		return one.body, false, one.err
	case <-late:
		return nil, false, errLate
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// forget lets the next page ask again, so that a person sees the change that they have just made.
func (s *sharedAnswers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.answers)
}

// forgetOld removes answers that serve no page any more. The caller holds the mutex.
func (s *sharedAnswers) forgetOld() {
	for key, one := range s.answers {
		if !one.ended.IsZero() && time.Since(one.asked) > one.keep {
			delete(s.answers, key)
		}
	}
}
