package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/client"
)

// Programs of others import the package, so it must not bring anything with it.
func TestDependsOnTheStandardLibraryAlone(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if got := strings.Fields(string(out)); err != nil || len(got) != 1 || got[0] != "botwork/client" {
		t.Errorf("got the packages %q, %v", got, err)
	}
}

// answers is a server that gives one answer after the other, and the last one again and again.
type answers struct {
	mu       sync.Mutex
	handlers []http.HandlerFunc
	requests []*http.Request
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.requests = append(a.requests, r)
	handle := a.handlers[min(len(a.requests), len(a.handlers))-1]
	a.mu.Unlock()
	handle(w, r)
}

// sent returns the requests so far.
func (a *answers) sent() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

func status(code int, header, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set(header, value)
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"status": %d, "code": "code-%d", "detail": "the detail"}`, code, code)
	}
}

func answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func against(t *testing.T, handlers ...http.HandlerFunc) (*answers, *client.Client) {
	t.Helper()
	a := &answers{handlers: handlers}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(server.URL+"/", "bw_token", client.Options{HTTP: &http.Client{Transport: transport}, FirstBackoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

func TestRequestsAreSentAgain(t *testing.T) {
	a, c := against(t, status(503, "", ""), hangUp, status(429, "Retry-After", "0"), status(502, "", ""), answer(`{"items": [{"id": 7}], "checkout": {"lockKey": "", "items": []}}`))
	made, err := c.Enqueue(t.Context(), "forms", client.NewItem{Payload: map[string]int{"n": 1}, In: client.Span(90 * time.Second)})
	if err != nil || len(made) != 1 || made[0].ID != 7 || len(a.sent()) != 5 {
		t.Fatalf("got %+v, %v after %d requests", made, err, len(a.sent()))
	}
	key := a.sent()[0].Header.Get("Idempotency-Key")
	for i, r := range a.sent() {
		if r.Header.Get("Idempotency-Key") != key || key == "" || r.Header.Get("Authorization") != "Bearer bw_token" || r.URL.Path != "/api/v1/queues/forms/items" {
			t.Errorf("request %d: %s with %v", i, r.URL.Path, r.Header)
		}
	}
	if _, err := c.Enqueue(t.Context(), "forms", client.NewItem{}); err != nil || a.sent()[5].Header.Get("Idempotency-Key") == key {
		t.Errorf("another request has the same key, or %v", err)
	}
}

func TestRefusedRequestsAreNotSentAgain(t *testing.T) {
	a, c := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"status": 409, "code": "lease-lost", "detail": "lost", "hint": "stop", "errors": [{"location": "body.fence", "message": "old"}]}`)
	})
	_, err := c.Succeed(t.Context(), client.Hold{ItemID: 1, Fence: 2, LockKey: "K"}, nil, nil)
	p, ok := errors.AsType[*client.Problem](err)
	if !ok || !errors.Is(err, client.ErrLeaseLost) || errors.Is(err, client.ErrNotFound) || p.Status != 409 || len(a.sent()) != 1 {
		t.Errorf("got %v after %d requests", err, len(a.sent()))
	}
	if want := "lost [lease-lost, HTTP 409]: body.fence: old; hint: stop"; p != nil && p.Error() != want {
		t.Errorf("got %q, want %q", p.Error(), want)
	}
}

func TestAttemptsEnd(t *testing.T) {
	a, c := against(t, status(503, "", ""))
	_, err := c.Version(t.Context())
	if !errors.Is(err, client.Code("code-503")) || len(a.sent()) != 6 {
		t.Errorf("got %v after %d requests, want 6", err, len(a.sent()))
	}
	// A proxy's page is no problem of the API.
	_, c = against(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusForbidden) })
	if _, err := c.Version(t.Context()); !errors.Is(err, client.Code("http-403")) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, c = against(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		status(503, "Retry-After", "3600")(w, r)
	})
	if _, err := c.Version(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestRetryAfterIsRespected(t *testing.T) {
	a, c := against(t, status(429, "Retry-After", "1"), answer(`{"version": "1"}`))
	begun := time.Now()
	if v, err := c.Version(t.Context()); err != nil || v != "1" || len(a.sent()) != 2 || time.Since(begun) < time.Second {
		t.Errorf("got %q, %v after %v", v, err, time.Since(begun))
	}
}

func TestNewRefuses(t *testing.T) {
	for _, address := range []string{"", "botwork.example.com", "ftp://botwork", "http://"} {
		if _, err := client.New(address, "bw_token", client.Options{}); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
	if _, err := client.New("http://localhost", "", client.Options{}); err == nil {
		t.Error("no token: no error")
	}
}

func TestTakeAsks(t *testing.T) {
	var got map[string]any
	_, c := against(t, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		fmt.Fprint(w, `{"lockKey": "K", "items": [{"id": 1, "fence": 3, "payload": {"n": 4}, "naturalKey": null, "tags": ["a"]}]}`)
	})
	items, err := c.Take(t.Context(), "a/b", client.Take{Max: 2, Lease: time.Minute, Wait: 5 * time.Second, Filter: client.Filter{Tags: []string{"t"}}})
	if err != nil || len(items) != 1 || items[0].Hold() != (client.Hold{ItemID: 1, Fence: 3, LockKey: "K"}) {
		t.Fatalf("got %+v, %v", items, err)
	}
	var payload struct{ N int }
	if err := items[0].Decode(&payload); err != nil || payload.N != 4 {
		t.Errorf("payload %+v, %v", payload, err)
	}
	if fmt.Sprint(got) != "map[filter:map[tags:[t]] lease:1m0s max:2 wait:5s]" {
		t.Errorf("sent %v", got)
	}
}
