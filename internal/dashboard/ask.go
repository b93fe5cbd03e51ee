package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"botwork/workqueue"
)

// problem is an answer of the API that is not a success.
type problem struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
	Hint   string `json:"hint"`

	Instance string        `json:"instance"`
	Errors   []problemPart `json:"errors"`
}

// problemPart is what is wrong with a part of a request.
type problemPart struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

func (p *problem) Error() string {
	parts := []string{p.Detail}
	for _, e := range p.Errors {
		parts = append(parts, e.Location+": "+e.Message)
	}
	if p.Hint != "" {
		parts = append(parts, "hint: "+p.Hint)
	}
	return strings.Join(parts, "; ")
}

// answer is an http.ResponseWriter that keeps what the API answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// ask sends a request to the API with the session of the browser, and decodes the answer into
// out, which may be nil. The error is a *problem if the API refuses.
func (d *Dashboard) ask(r *http.Request, method, path string, query url.Values, in, out any) (http.Header, error) {
	var text []byte
	if in != nil {
		var err error
		if text, err = workqueue.MarshalPlain(in); err != nil { // a payload is stored as it was entered
			return nil, err
		}
	}
	inner, err := d.inner(r, method, path, query)
	if err != nil {
		return nil, err
	}
	inner.Header.Set("Accept", "application/json")
	if in != nil {
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		inner.Header.Set("Content-Type", "application/json")
	}
	got := &answer{header: http.Header{}}
	d.api.ServeHTTP(got, inner)
	if got.status >= 300 {
		p := &problem{Status: got.status}
		if err := json.Unmarshal(got.body.Bytes(), p); err != nil || p.Detail == "" {
			p.Detail = fmt.Sprintf("the API has answered %s %s with status %d", method, path, got.status)
		}
		return got.header, p
	}
	if out == nil || got.body.Len() == 0 {
		return got.header, nil
	}
	if text, ok := out.(*string); ok {
		*text = got.body.String()
		return got.header, nil
	}
	if err := json.Unmarshal(got.body.Bytes(), out); err != nil {
		return got.header, fmt.Errorf("the API's answer to %s %s: %w", method, path, err)
	}
	return got.header, nil
}

// inner returns a request to the API with the session of the browser.
func (d *Dashboard) inner(r *http.Request, method, path string, query url.Values) (*http.Request, error) {
	address := apiPrefix + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	inner, err := http.NewRequestWithContext(r.Context(), method, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	inner.Host, inner.RemoteAddr, inner.RequestURI = r.Host, r.RemoteAddr, address
	for _, name := range []string{"Cookie", "User-Agent", "If-Match", "If-None-Match"} {
		if value := r.Header.Get(name); value != "" {
			inner.Header.Set(name, value)
		}
	}
	return inner, nil
}

// mostAtOnce is how many questions of a page run at the same time: about as many as there are connections to the
// database that are kept open. For more, connections would be opened, and closed at once.
const mostAtOnce = 4

// asking collects what a page needs from the API. Its requests run at the same time; the first
// error ends them.
type asking struct {
	d       *Dashboard
	r       *http.Request
	running sync.WaitGroup
	slots   chan struct{} // taken by what runs

	late atomic.Bool // an answer was not there in time, and is left out
	old  atomic.Bool // an answer was an older one, while a newer one is asked for

	mu     sync.Mutex
	err    error
	cancel context.CancelFunc
}

func (d *Dashboard) asking(r *http.Request) *asking {
	ctx, cancel := context.WithCancel(r.Context())
	return &asking{d: d, r: r.WithContext(ctx), slots: make(chan struct{}, mostAtOnce), cancel: cancel}
}

// ask asks with a request of the page, or one that goes on without it.
func (a *asking) ask(r *http.Request, path string, query url.Values, out any) error {
	a.slots <- struct{}{}
	defer func() { <-a.slots }()
	_, err := a.d.ask(r, http.MethodGet, path, query, nil, out)
	return err
}

// get asks for a resource and decodes it into out when wait returns.
func (a *asking) get(path string, query url.Values, out any) {
	a.running.Go(func() {
		a.fail(a.ask(a.r, path, query, out))
	})
}

// runs asks for up to most runs, or a few more, page by page, the latest first.
func (a *asking) runs(query url.Values, most int, out *list[run]) {
	a.running.Go(func() {
		for len(out.Items) < most {
			var page list[run]
			err := a.ask(a.r, "/runs", query, &page)
			if out.Items, out.Next = append(out.Items, page.Items...), page.Next; err != nil || page.Next == nil {
				a.fail(err)
				return
			}
			next, err := url.Parse(*page.Next)
			if err != nil {
				a.fail(err)
				return
			}
			query = next.Query()
		}
	})
}

// optional is get for what the role of the person may not allow: a refusal leaves out as it is.
func (a *asking) optional(path string, query url.Values, out any) {
	a.running.Go(func() {
		if err := a.ask(a.r, path, query, out); !isRefusal(err) {
			a.fail(err)
		}
	})
}

// refusable is optional for what the state of a thing may not allow, such as the next start of what
// starts by no schedule, or the steps of a pipeline whose file has errors.
func (a *asking) refusable(path string, query url.Values, out any) {
	a.running.Go(func() {
		if err := a.ask(a.r, path, query, out); !isRefusal(err) && !isConflict(err) {
			a.fail(err)
		}
	})
}

// isRefusal reports whether the API has refused what the role may not see, or what is not there.
func isRefusal(err error) bool {
	p, ok := errors.AsType[*problem](err)
	return ok && (p.Status == http.StatusForbidden || p.Status == http.StatusNotFound)
}

// isSignedOut reports whether the session of a request has ended.
func isSignedOut(err error) bool {
	p, ok := errors.AsType[*problem](err)
	return ok && p.Status == http.StatusUnauthorized
}

// isConflict reports whether the state of a thing does not allow what was asked for.
func isConflict(err error) bool {
	p, ok := errors.AsType[*problem](err)
	return ok && p.Status == http.StatusConflict
}

// fail keeps the first error and ends the other requests; nil is none.
func (a *asking) fail(err error) {
	if err == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
	a.cancel()
}

// wait returns the first error when all requests have ended.
func (a *asking) wait() error {
	a.running.Wait()
	a.cancel()
	return a.err
}

// values returns query parameters from names and values; those with an empty value are left out.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Add(pairs[i], pairs[i+1])
		}
	}
	return v
}

// segment escapes a name for a path.
func segment(name string) string { return strings.ReplaceAll(url.PathEscape(name), "+", "%2B") }
