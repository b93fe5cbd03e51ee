package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// slowFor is how long an answer serves that costs more than others, or changes by the minute.
const slowFor = 20 * time.Second

// sharedAnswers are answers of the API by who may see them and what was asked. Pages ask for themselves again
// when something happens, so many open browsers ask for the same at the same time.
type sharedAnswers struct {
	mu      sync.Mutex
	answers map[string]*sharedAnswer
}

func newSharedAnswers() *sharedAnswers { return &sharedAnswers{answers: map[string]*sharedAnswer{}} }

type sharedAnswer struct {
	ready chan struct{} // closed when body and err are set
	asked time.Time     // when ready: before it was asked for; guarded by the mutex of sharedAnswers
	took  time.Duration // likewise
	body  json.RawMessage
	err   error
}

// costShare bounds the part of the time in which an answer is asked for: one that takes long serves longer.
const costShare = 20

// serves reports whether an answer serves who accepts one of this age. One that is being asked for serves
// everybody. The caller holds the mutex.
func (one *sharedAnswer) serves(age time.Duration) bool {
	return one.asked.IsZero() || one.err == nil && time.Since(one.asked) < max(age, min(costShare*one.took, slowFor))
}

// get returns the answer for key, which is asked for once at a time. An answer that is older than age is
// asked for again; so is an error.
func (s *sharedAnswers) get(ctx context.Context, key string, age time.Duration, ask func() (json.RawMessage, error)) (json.RawMessage, error) {
	s.mu.Lock()
	one := s.answers[key]
	if one == nil || !one.serves(age) {
		one = &sharedAnswer{ready: make(chan struct{})}
		s.forgetOld()
		s.answers[key] = one
		s.mu.Unlock()
		began := time.Now()
		one.body, one.err = ask()
		s.mu.Lock()
		one.asked, one.took = began, time.Since(began)
		s.mu.Unlock()
		close(one.ready)
		return one.body, one.err
	}
	s.mu.Unlock()
	select {
	case <-one.ready:
		return one.body, one.err
	case <-ctx.Done():
		return nil, ctx.Err()
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
		if !one.serves(max(slowFor, slowestPace)) {
			delete(s.answers, key)
		}
	}
}

// sharing asks for what all people of a role and of the same queues see alike. The request of one of them
// asks for all, so it does not end with its browser.
type sharing struct {
	*asking
	caller caller
	age    time.Duration // of an answer that is new enough; 0: only one that is asked for now
}

// shared asks for what many pages show.
func (a *asking) shared(c caller) sharing { return sharing{a, c, a.d.pace.sharedFor()} }

// paced asks for what a page is about. A person who is alone sees it as it is.
func (a *asking) paced(c caller) sharing { return sharing{a, c, a.d.pace.pacedFor()} }

// slow asks for what costs more than other answers, or changes by the minute.
func (a *asking) slow(c caller) sharing { return sharing{a, c, slowFor} }

func (s sharing) get(path string, query url.Values, out any) {
	s.running.Go(func() { s.fail(s.now(path, query, out)) })
}

// optional is get for what the role of the person may not allow: a refusal leaves out as it is.
func (s sharing) optional(path string, query url.Values, out any) {
	s.running.Go(func() {
		if err := s.now(path, query, out); !isRefusal(err) {
			s.fail(err)
		}
	})
}

// refusable is optional for what the state of a thing may not allow.
func (s sharing) refusable(path string, query url.Values, out any) {
	s.running.Go(func() {
		if err := s.now(path, query, out); !isRefusal(err) && !isConflict(err) {
			s.fail(err)
		}
	})
}

// now returns when the answer is decoded.
func (s sharing) now(path string, query url.Values, out any) error {
	if s.age == 0 {
		_, err := s.d.ask(s.r, http.MethodGet, path, query, nil, out)
		return err
	}
	body, err := s.d.answers.get(s.r.Context(), sharedKey(s.caller, path, query), s.age, func() (json.RawMessage, error) {
		r, cancel := detached(s.r)
		defer cancel()
		var text json.RawMessage
		_, err := s.d.ask(r, http.MethodGet, path, query, nil, &text)
		return text, err
	})
	if isSignedOut(err) {
		// The session of the person whose request asked for all has just ended; this one may go on.
		_, err := s.d.ask(s.r, http.MethodGet, path, query, nil, out)
		return err
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

// sharedKey names an answer that all people of a role and of the same queues see alike.
func sharedKey(c caller, path string, query url.Values) string {
	return strings.Join(append([]string{c.Role, path, query.Encode()}, c.Queues...), "\x00")
}

// detached returns the request with a time limit of its own: it asks for others, too, so it does not end
// with its browser.
func detached(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 30*time.Second)
	return r.WithContext(ctx), cancel
}

// forgetAnswers lets the next page ask for everything again.
func (d *Dashboard) forgetAnswers() { d.answers.forget() }
