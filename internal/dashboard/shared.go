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

// sharedFor is how long an answer serves all people who may see the same. Pages ask for
// themselves again when something happens, so many open browsers ask for the same at the same
// time.
const sharedFor = time.Second

// slowFor is the same for what costs more, and need not be as new.
const slowFor = 10 * time.Second

// sharedAnswers are answers of the API by who may see them and what was asked.
type sharedAnswers struct {
	lasts time.Duration // how long an answer serves

	mu      sync.Mutex
	answers map[string]*sharedAnswer
}

func newSharedAnswers(lasts time.Duration) *sharedAnswers {
	return &sharedAnswers{lasts: lasts, answers: map[string]*sharedAnswer{}}
}

type sharedAnswer struct {
	ready chan struct{} // closed when body and err are set
	until time.Time     // set when ready; guarded by the mutex of sharedAnswers
	body  json.RawMessage
	err   error
}

// get returns the answer for key, which is asked for once at a time.
func (s *sharedAnswers) get(ctx context.Context, key string, ask func() (json.RawMessage, error)) (json.RawMessage, error) {
	s.mu.Lock()
	one := s.answers[key]
	if one == nil || !one.until.IsZero() && time.Now().After(one.until) {
		one = &sharedAnswer{ready: make(chan struct{})}
		s.forgetOld()
		s.answers[key] = one
		s.mu.Unlock()
		one.body, one.err = ask()
		s.mu.Lock()
		one.until = time.Now().Add(s.lasts)
		if one.err != nil {
			one.until = time.Now() // the next one tries again
		}
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

// forgetOld removes answers that serve nobody any more. The caller holds the mutex.
func (s *sharedAnswers) forgetOld() {
	now := time.Now()
	for key, one := range s.answers {
		if !one.until.IsZero() && now.After(one.until) {
			delete(s.answers, key)
		}
	}
}

// shared is get for what all people of a role and of the same queues see alike. The request of
// one of them asks for all, so it does not end with its browser.
func (a *asking) shared(c caller, path string, query url.Values, out any) {
	a.running.Go(func() { a.fail(a.getShared(c, path, query, out)) })
}

// sharedOptional is shared for what the role may not see.
func (a *asking) sharedOptional(c caller, path string, query url.Values, out any) {
	a.running.Go(func() {
		if err := a.getShared(c, path, query, out); !isRefusal(err) {
			a.fail(err)
		}
	})
}

// slow is shared for what may be ten seconds old.
func (a *asking) slow(c caller, path string, query url.Values, out any) {
	a.running.Go(func() { a.fail(a.getFrom(a.d.slow, c, path, query, out)) })
}

func (a *asking) getShared(c caller, path string, query url.Values, out any) error {
	return a.getFrom(a.d.answers, c, path, query, out)
}

func (a *asking) getFrom(answers *sharedAnswers, c caller, path string, query url.Values, out any) error {
	body, err := answers.get(a.r.Context(), sharedKey(c, path, query), func() (json.RawMessage, error) {
		r, cancel := detached(a.r)
		defer cancel()
		var text json.RawMessage
		_, err := a.d.ask(r, http.MethodGet, path, query, nil, &text)
		return text, err
	})
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
func (d *Dashboard) forgetAnswers() {
	d.answers.forget()
	d.slow.forget()
}
