// Package apitest runs the HTTP API over a database of its own, for tests. Each answer is
// checked against the API's OpenAPI document.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api"
	"botwork/internal/api/auth"
	"botwork/internal/database"
	"botwork/internal/httpserver"
	"botwork/internal/metrics"
	"botwork/internal/testdb"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

// Server is a running API.
type Server struct {
	API   *api.API
	Store *sqlstore.Store
	URL   string // without a slash at the end

	server *httpserver.Server
	client *http.Client
	tokens map[string]string // by name
}

// Limits are those of the server unless options change them.
var Limits = httpserver.Limits{Body: 1 << 20, Requests: 64, Waiting: 64, PerSecond: 100_000}

// Start runs an API until the test ends. change may adapt its options; nil: none.
func Start(t testing.TB, change func(*api.Options)) *Server {
	t.Helper()
	e := testdb.Engine{Driver: database.SQLite}
	return StartOver(t, e.Open(t, e.DSN(t)), change)
}

// StartOver is Start over a store that the caller closes.
func StartOver(t testing.TB, store *sqlstore.Store, change func(*api.Options)) *Server {
	t.Helper()
	log := zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	o := api.Options{Store: store, Log: log, Version: "1.2.3-test", Limits: Limits, Metrics: metrics.Handler(metrics.NewProcess(), store, "1.2.3-test", log)}
	if change != nil {
		change(&o)
	}
	server, err := httpserver.Listen(t.Context(), httpserver.Options{Listen: "127.0.0.1:0", Limits: o.Limits, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	o.Draining, o.URL = server.Draining(), server.URL()
	s := &Server{API: api.New(o), Store: store, URL: server.URL(), server: server, client: &http.Client{Transport: &http.Transport{}}, tokens: map[string]string{}}
	server.Serve(s.API.Handler())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.API.Run(ctx) })
	t.Cleanup(func() {
		stop, stopped := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer stopped()
		s.client.CloseIdleConnections()
		if err := server.Shutdown(stop); err != nil {
			t.Errorf("shut down the API: %v", err)
		}
		cancel()
		running.Wait()
	})
	return s
}

// Shutdown drains the server before the test ends.
func (s *Server) Shutdown(ctx context.Context) error { return s.server.Shutdown(ctx) }

// Token returns the text of a token of this role that is bound to these queues. Equal calls
// return the same token; its name is the role and the queues.
func (s *Server) Token(t testing.TB, role access.Role, queues ...string) string {
	t.Helper()
	name := strings.Join(append([]string{string(role)}, queues...), "-")
	if text := s.tokens[name]; text != "" {
		return text
	}
	_, text, err := auth.CreateToken(t.Context(), s.Store, access.NewTokenParams{Name: name, Role: role, Queues: queues, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	s.tokens[name] = text
	return text
}

// Password is the password of users created by AddUser. hash is its argon2id hash with the smallest
// parameters, so that signing in is fast.
const (
	Password = "correct horse battery"
	hash     = "$argon2id$v=19$m=8,t=1,p=1$Y2hlYXAtaW4tdGVzdHMtMQ$bihIly5I6azfROfAZR97WBeuD7S3zl5ZyQXX6iNZxO8"
)

// AddUser creates a user with Password in a store.
func AddUser(t testing.TB, store *sqlstore.Store, name string, role access.Role, queues ...string) access.User {
	t.Helper()
	u, err := store.CreateUser(t.Context(), access.UserParams{Name: name, Role: role, Queues: queues, By: "test", PasswordHash: hash})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Answer is an answer of the API.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Request is a request to the API.
type Request struct {
	Method, Path string // after /api/v1
	Token        string
	Header       map[string]string

	// Body is sent as JSON, a string or []byte as it is.
	Body any
}

// Do sends a request and checks the answer against the document.
func (s *Server) Do(t testing.TB, r Request) Answer {
	t.Helper()
	req, err := s.NewRequest(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return Answer{Status: res.StatusCode, Header: res.Header} // it has no end
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	s.Check(t, req, res, body)
	return Answer{res.StatusCode, res.Header, body}
}

// NewRequest returns the HTTP request.
func (s *Server) NewRequest(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	switch b := r.Body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, s.URL+api.Prefix+r.Path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// Check compares an answer with the document. The body of res is not read: it is given beside it.
func (s *Server) Check(t testing.TB, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/x-ndjson") || strings.HasPrefix(res.Header.Get("Content-Type"), "text/") {
		return // streams and texts have no schema
	}
	faults := s.compare(req, res.StatusCode, res.Header.Get("Content-Type"), body)
	for _, fault := range faults {
		t.Errorf("%s %s: the answer %d does not match the document: %s", req.Method, req.URL.Path, res.StatusCode, fault)
	}
	if len(faults) > 0 {
		t.Errorf("  the answer was %.2000s", body)
	}
}

// Want checks the status of an answer.
func (a Answer) Want(t testing.TB, status int) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("got the status %d, want %d: %.1000s", a.Status, status, a.Body)
	}
	return a
}

// WantProblem checks the status and the code of a problem.
func (a Answer) WantProblem(t testing.TB, status int, code string) api.Problem {
	t.Helper()
	a.Want(t, status)
	p := Decode[api.Problem](t, a)
	if p.Code != code || a.Header.Get("Content-Type") != httpserver.ProblemType {
		t.Fatalf("got the problem %q as %s, want %q: %.1000s", p.Code, a.Header.Get("Content-Type"), code, a.Body)
	}
	return p
}

// Decode decodes the body of an answer.
func Decode[T any](t testing.TB, a Answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("decode %.500s: %v", a.Body, err)
	}
	return v
}
