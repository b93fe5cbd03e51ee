package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/hooks"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

// halfABody sends the header of a request and a part of its body, when the handler reads it.
func halfABody(t *testing.T, s *apitest.Server, path string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	text := "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n"
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	// net/http sends this when the handler begins to read.
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("got %q, %v; want 100 Continue", line, err)
	}
	if _, err := io.WriteString(conn, `{"name": `); err != nil {
		t.Fatal(err)
	}
}

// Clients without credentials that send half a body to where none are needed delay no other.
func TestHalfBodiesWithoutCredentials(t *testing.T) {
	shop, err := hooks.New(hooks.Hook{Name: "shop", Form: hooks.GitHub, Secret: "hunter2", Queue: "default", Pipeline: "ship"}, hooks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, func(o *api.Options) { o.Limits.Requests, o.Hooks = 4, []*hooks.Hook{shop} })
	addUser(t, s, "ada", access.Viewer)
	viewer, robot := s.Token(t, access.Viewer), s.Token(t, access.Robot, "default")
	for range 3 {
		halfABody(t, s, "/api/v1/auth/sign-in")
		halfABody(t, s, "/hooks/shop")
	}
	trySignIn(t, s, "ada", goodPassword, "").Want(t, 200)
	for range 2 { // then the address has as many as it may
		halfABody(t, s, "/hooks/shop")
	}
	trySignIn(t, s, "ada", goodPassword, "").WantProblem(t, 429, "busy")
	s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: viewer}).Want(t, 200)
	beat := apitest.Request{Method: "POST", Path: "/checkouts/1/heartbeat", Token: robot, Body: map[string]any{"fence": 1, "lockKey": "x", "lease": "1m"}}
	if a := s.Do(t, beat); a.Status == http.StatusTooManyRequests {
		t.Errorf("a heartbeat got %d", a.Status)
	}
	for _, path := range []string{"/livez", "/readyz"} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != 200 {
			t.Errorf("%s got %d", path, res.StatusCode)
		}
	}
}

// A request without credentials is refused before its body is read.
func TestHalfBodyIsRefused(t *testing.T) {
	s := apitest.Start(t, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(conn, "POST /api/v1/items HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 401 ") {
		t.Errorf("got %q, %v; want 401 before 100 Continue", line, err)
	}
}

func TestLanes(t *testing.T) {
	s := apitest.Start(t, nil)
	lanes, ok := s.API.Handler().(httpserver.Laned)
	if !ok {
		t.Fatal("the handler has no lanes")
	}
	check := func(method, path string, want httpserver.Lane) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := lanes.Lane(req); got != want {
			t.Errorf("%s %s has the lane %d, want %d", method, path, got, want)
		}
	}
	for _, op := range s.API.Operations() {
		want := httpserver.General
		if op.Open {
			want = httpserver.Public
		}
		if op.ID == "checkouts-heartbeat" || op.ID == "checkouts-heartbeat-many" {
			want = httpserver.Heartbeat
		}
		check(op.Method, strings.NewReplacer("{id}", "7", "{", "", "}", "").Replace(op.Path), want)
	}
	for path, want := range map[string]httpserver.Lane{
		"/livez": httpserver.Health, "/readyz": httpserver.Health, "/metrics": httpserver.General, "/hooks/shop": httpserver.Public,
		"/auth/link": httpserver.Public, "/auth/oidc/start": httpserver.Public, "/api/openapi.json": httpserver.Public, "/api/v1/none": httpserver.General,
	} {
		check("GET", path, want)
	}
}
