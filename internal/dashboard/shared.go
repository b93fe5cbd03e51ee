package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"botwork/internal/api/events"
)

// sharing asks for what all people of a role and of the same queues see alike. The request of one of them
// asks for all, so it does not end with its browser.
type sharing struct {
	*asking
	freshness

	caller caller
	of     string // what the answer is of besides its address, such as a version
}

// shared asks for what many pages show.
func (a *asking) shared(c caller) sharing { return a.sharing(c, a.d.pace.sharedFor()) }

// paced asks for what a page is about. A person who is alone sees it as it is.
func (a *asking) paced(c caller) sharing { return a.sharing(c, a.d.pace.pacedFor()) }

// about is paced for a single thing, which a page shows as it is if it has just changed.
func (a *asking) about(c caller) sharing {
	s := a.paced(c)
	if a.r.Header.Get(newsHeader) != "" {
		s.age = min(s.age, a.d.pace.own()-time.Second)
	}
	return s
}

// slow asks for what costs more than other answers, or changes by the minute.
func (a *asking) slow(c caller) sharing { return a.sharing(c, a.d.pace.slowFor()) }

func (a *asking) sharing(c caller, age time.Duration) sharing {
	return sharing{asking: a, freshness: freshness{age: age}, caller: c}
}

// until makes an answer serve for minutes, if nothing of these changes happens.
func (s sharing) until(changes ...events.Change) sharing {
	s.changes = changes
	return s
}

// patience is how long a page waits for what may take seconds.
const patience = 50 * time.Millisecond

// patient is paced for what may take seconds in a large database. A page that lacks it asks for itself again.
func (a *asking) patient(c caller) sharing {
	s := a.sharing(c, max(a.d.pace.pacedFor(), time.Millisecond))
	s.patience = patience
	return s
}

// calm is patient for what also depends on other things than the page is about. A tab asks for news of these less
// often, so it is content with an older answer, unless its own thing has changed.
func (a *asking) calm(c caller) sharing {
	s := a.patient(c)
	if a.r.Header.Get(renewHeader) != "" && a.r.Header.Get(newsHeader) == "" && a.d.pace.count() > 1 {
		s.age = a.d.pace.calm() - time.Second
	}
	return s
}

// incomplete reports whether the page is to ask for itself again: something is not there yet, or was an older answer
// when the page was opened.
func (a *asking) incomplete() bool {
	return a.late.Load() || a.old.Load() && a.r.Header.Get(renewHeader) == ""
}

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

// unlessConflict is get for what the state of a thing may not allow: then fault says why, and out is as it was.
func (s sharing) unlessConflict(path string, query url.Values, out any, fault **problem) {
	s.running.Go(func() {
		err := s.now(path, query, out)
		if p, ok := errors.AsType[*problem](err); ok && isConflict(err) {
			*fault = p
			return
		}
		s.fail(err)
	})
}

// unlessFailed is get for what the server may not be able to find out: then fault says why, and out is as it was.
func (s sharing) unlessFailed(path string, query url.Values, out any, fault **problem) {
	s.running.Go(func() {
		err := s.now(path, query, out)
		if p := failureOf(err); p != nil {
			*fault = p
			return
		}
		s.fail(err)
	})
}

// failureOf returns what the API says if it has failed, and nil if the error is another one or none.
func failureOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok && p.Status >= http.StatusInternalServerError {
		return p
	}
	return nil
}

// now returns when the answer is decoded. An answer that is not there in time leaves out as it is, and is
// noted: see late.
func (s sharing) now(path string, query url.Values, out any) error {
	if s.age == 0 {
		return s.ask(s.r, path, query, out)
	}
	key := sharedKey(s.caller, path, query) + "\x00" + s.of
	body, old, err := s.d.answers.get(s.r.Context(), key, s.freshness, func() (json.RawMessage, error) {
		r, cancel := s.d.detached(s.r)
		defer cancel()
		var text json.RawMessage
		err := s.ask(r, path, query, &text)
		if failureOf(err) != nil && errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			err = &problem{Status: http.StatusServiceUnavailable, Detail: "the answer has not come within " + span(askedFor), Hint: "ask for less, such as by another filter"}
		}
		return text, err
	})
	if old {
		s.old.Store(true)
	}
	switch {
	case errors.Is(err, errLate):
		s.late.Store(true)
		return nil
	case isSignedOut(err):
		// The session of the person whose request asked for all has just ended; this one may go on.
		return s.ask(s.r, path, query, out)
	case err != nil:
		return err
	}
	return json.Unmarshal(body, out)
}

// sharedKey names an answer that all people of a role and of the same queues see alike.
func sharedKey(c caller, path string, query url.Values) string {
	return strings.Join(slices.Concat([]string{c.Role, path, query.Encode()}, c.Queues), "\x00")
}

// askedFor bounds a question that does not end with the browser of who has asked first. It is longer than the API
// takes for any answer.
const askedFor = time.Minute

// detached returns the request with a time limit of its own: it asks for others, too, so it does not end
// with its browser, but with the dashboard.
func (d *Dashboard) detached(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), askedFor)
	stop := context.AfterFunc(d.open, cancel)
	return r.WithContext(ctx), func() { stop(); cancel() }
}

// forgetAnswers lets the next page ask for everything again.
func (d *Dashboard) forgetAnswers() { d.answers.forget() }
