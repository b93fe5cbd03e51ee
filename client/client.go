package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options configure a client. The zero value has the defaults.
type Options struct {
	// HTTP sends the requests; nil means one with the defaults of net/http that follows no
	// redirection. It should have no Timeout: each request has one of its own.
	HTTP *http.Client

	// Attempts is how often a request is sent at most; 0 means 6, and 1 once.
	Attempts int

	// Timeout bounds one attempt, besides the time that it asks the server to wait; 0 means 30s.
	Timeout time.Duration

	// FirstBackoff and MaxBackoff bound the wait before another attempt: a random time up to
	// FirstBackoff, then up to twice that, and so on up to MaxBackoff. 0 means 200ms and 20s. A
	// longer Retry-After of the server is respected.
	FirstBackoff, MaxBackoff time.Duration
}

// Client calls the API. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	o     Options
}

// New returns a client of the server at this address, such as https://botwork.example.com.
func New(baseURL, token string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the address %q of the server: want one such as https://botwork.example.com", baseURL)
	}
	if token == "" {
		return nil, errors.New("the token is empty; `botwork tokens create` prints one")
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Transport: transport(), CheckRedirect: refuseRedirect}
	}
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{{&o.Timeout, 30 * time.Second}, {&o.FirstBackoff, 200 * time.Millisecond}, {&o.MaxBackoff, 20 * time.Second}} {
		if *d.value == 0 {
			*d.value = d.or
		}
	}
	if o.Attempts == 0 {
		o.Attempts = 6
	}
	return &Client{base: strings.TrimRight(baseURL, "/") + "/api/v1", token: token, o: o}, nil
}

// refuseRedirect makes a redirection the answer: the API has none, and the token must not follow one
// to another address, or from https to http.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport keeps as many connections open as a robot with many slots uses.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return t
}

// call is one request.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any           // sent as JSON, or as it is if it is a lines; nil: none
	into         any           // decoded from JSON; a func([]byte) error gets the text; nil: ignored
	wait         time.Duration // how long the server may wait
	creates      bool          // gets an Idempotency-Key
	key          string        // the Idempotency-Key; "": a random one
}

// lines is a body of lines of JSON.
type lines []byte

// do sends a request until it is answered or its attempts are used up.
func (c *Client) do(ctx context.Context, r call) error {
	body, isLines := r.body.(lines)
	if r.body != nil && !isLines {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
	if r.creates && r.key == "" {
		r.key = rand.Text() // the same for all attempts
	}
	unsure := false
	for attempt := 1; ; attempt++ {
		after, err := c.attempt(ctx, &r, body)
		if err == nil {
			return nil
		}
		unsure = unsure || r.method != http.MethodGet && mayBeDone(err)
		if ctx.Err() != nil {
			return doubt(unsure, context.Cause(ctx))
		}
		if after < 0 || attempt >= c.o.Attempts {
			_, refused := errors.AsType[*Problem](err)
			return fmt.Errorf("%s %s: %w", r.method, r.path, doubt(unsure && (after >= 0 || !refused), err))
		}
		timer := time.NewTimer(after + c.backoff(attempt))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return doubt(unsure, context.Cause(ctx))
		}
	}
}

// UnansweredError is returned when a change was sent and no answer has come, so that it is unknown
// whether it was made.
type UnansweredError struct{ Err error }

func (e *UnansweredError) Error() string {
	return e.Err.Error() + "; it is unknown whether the change was made"
}

func (e *UnansweredError) Unwrap() error { return e.Err }

func doubt(unsure bool, err error) error {
	if unsure {
		return &UnansweredError{err}
	}
	return err
}

// mayBeDone reports whether the server may have done what an attempt with this error asked for.
func mayBeDone(err error) bool {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout || p.Code == "outcome-unknown" || p.Code == "idempotency-key-in-use"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return false
	}
	return !isHopeless(err)
}

// backoff returns the wait after this many attempts: full jitter, so that robots that failed
// together do not come back together.
func (c *Client) backoff(attempt int) time.Duration {
	most := min(c.o.FirstBackoff<<min(attempt-1, 20), c.o.MaxBackoff)
	return time.Duration(mathrand.Int64N(int64(most) + 1))
}

// never is the wait after an error that another attempt would repeat.
const never = time.Duration(-1)

// attempt sends a request once. after is how long to wait at least before another attempt.
func (c *Client) attempt(ctx context.Context, r *call, body []byte) (after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout+r.wait)
	defer cancel()
	req, err := c.request(ctx, r, body)
	if err != nil {
		return never, err
	}
	res, err := c.o.HTTP.Do(req)
	if isHopeless(err) {
		return never, err
	}
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		data, err := io.ReadAll(res.Body)
		if err != nil {
			return 0, err
		}
		switch into := r.into.(type) {
		case nil:
			return 0, nil
		case func([]byte) error:
			err = into(data)
		default:
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			return never, &NotBotworkError{Type: res.Header.Get("Content-Type"), Err: err}
		}
		return 0, nil
	}
	p := problemOf(res)
	switch {
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusBadGateway, res.StatusCode == http.StatusServiceUnavailable,
		res.StatusCode == http.StatusGatewayTimeout, p.Code == "idempotency-key-in-use":
		return retryAfter(res.Header.Get("Retry-After")), p
	default:
		return never, p
	}
}

// request returns the HTTP request of an attempt.
func (c *Client) request(ctx context.Context, r *call, body []byte) (*http.Request, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.header)
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		if _, isLines := r.body.(lines); isLines {
			req.Header.Set("Content-Type", "application/x-ndjson")
		}
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	return req, nil
}

// isHopeless reports whether another attempt would meet the same error.
func isHopeless(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return certificate || errors.Is(err, http.ErrSchemeMismatch)
}

// NotBotworkError is returned for a success whose body is not what the API answers, such as the page
// of a proxy that asks for a sign-in.
type NotBotworkError struct {
	Type string // the Content-Type
	Err  error
}

func (e *NotBotworkError) Error() string {
	return fmt.Sprintf("the answer (%s) is not from Botwork: %v", cmp.Or(e.Type, "without a type"), e.Err)
}

func (e *NotBotworkError) Unwrap() error { return e.Err }

// maxProblem bounds the answer that is read as a problem, which a proxy may have written.
const maxProblem = 1 << 20

func problemOf(res *http.Response) *Problem {
	p := &Problem{}
	data, _ := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if json.Unmarshal(data, p) != nil || p.Code == "" {
		p = &Problem{Code: "http-" + Code(strconv.Itoa(res.StatusCode)), Detail: "the answer " + res.Status + " is not from Botwork"}
	}
	p.Status = res.StatusCode
	return p
}

// retryAfter reads the header, which has seconds or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 3600)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), time.Hour)
	}
	return 0
}

// durationText writes a duration as the API reads it; "" for 0.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
