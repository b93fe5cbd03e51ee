package cmd_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

// over runs a command line with this server.
func (s served) over(t *testing.T, server, stdin string, args ...string) clitest.Result {
	t.Helper()
	t.Chdir(s.away)
	return clitest.DoWith(t, stdin, []string{"BOTWORK_SERVER=" + server, s.environ[1]}, args...)
}

// cutting is a proxy before the server that breaks the connection in place of each third answer to a
// change, after the server has made the change.
func (s served) cutting(t *testing.T) (address string, cuts *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(strings.TrimPrefix(s.environ[0], "BOTWORK_SERVER="))
	if err != nil {
		t.Fatal(err)
	}
	cuts = &atomic.Int64{}
	var changes atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	transport := &http.Transport{}
	proxy.Transport, proxy.ErrorLog = transport, log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method != http.MethodGet && changes.Add(1)%3 == 0 {
			cuts.Add(1)
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(func() { server.Close(); transport.CloseIdleConnections() })
	return server.URL, cuts
}

// Answers are lost on their way. Nothing is done twice, and nothing is lost.
func TestAnswersOfAServerThatAreLost(t *testing.T) {
	s := bothWays(t, func() {})
	server, cuts := s.cutting(t)
	const items = 5_000
	var lines strings.Builder
	for i := range items {
		fmt.Fprintf(&lines, "{\"pipeline\": \"hello\", \"payload\": {\"name\": \"%d\"}}\n", i)
	}
	wantCount := func(want string, filter ...string) {
		t.Helper()
		if r := s.over(t, server, "", append([]string{"items", "list", "--count"}, filter...)...); strings.TrimSpace(r.Stdout) != want {
			t.Errorf("items list --count %v: %s%s, want %s", filter, r.Stdout, r.Stderr, want)
		}
	}
	if r := s.over(t, server, lines.String(), "enqueue", "-"); r.Code != cli.ExitDone || !strings.Contains(r.Stdout, "5000 items enqueued") {
		t.Fatalf("exit code %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	wantCount("5000")
	for _, c := range []struct{ args, want string }{
		{"items update --queue default --priority 700", "5000 items updated"},
		{"items clone --queue default", "5000 items cloned"},
		{"items cancel --queue default --status pending", "10000 items cancelled"},
		{"items repeat 1", "item 1: repeated"},
		{"items clone 1", "item 1: cloned as item 10001"},
		{"enqueue --pipeline hello --payload {\"name\":\"Ada\"} --count 5", "5 items enqueued"},
	} {
		for i := range 3 { // one of three answers is lost
			if i > 0 && !strings.HasPrefix(c.args, "items update") {
				break
			}
			if r := s.over(t, server, "", strings.Fields(c.args)...); r.Code != cli.ExitDone || !strings.Contains(r.Stdout, c.want) {
				t.Errorf("%s: exit code %d: %.300s%s", c.args, r.Code, r.Stdout, r.Stderr)
			}
		}
	}
	wantCount("10006")
	wantCount("9999", "--status", "cancelled")
	if cuts.Load() < 8 {
		t.Errorf("only %d answers were lost", cuts.Load())
	}
	// A list of more items than a page has.
	if r := s.over(t, server, "", "items", "list", "--limit", "1234", "-o", "json"); len(clitest.Decode[[]any](t, r.Stdout)) != 1234 {
		t.Errorf("items list --limit 1234: %s", r.Stderr)
	}
}

func TestServersThatAreNotBotwork(t *testing.T) {
	s := bothWays(t, func() {})
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   []string
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>sign in")
		}, []string{"text/html", "is not from Botwork", "a proxy may have answered"}},
		"a redirection": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}, []string{"302 Found", "is not from Botwork"}},
		"nothing there": {http.NotFound, []string{"404 Not Found"}},
		"a newer one": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"items": [{"id": 1, "new": {"a": [1]}}], "next": null, "more": 5}`)
		}, nil},
	} {
		server := httptest.NewServer(c.handle)
		r := s.over(t, server.URL, "", "items", "list", "-o", "json")
		server.Close()
		if c.want != nil {
			r.WantFailure(t, cli.ExitFailed, c.want...)
		} else if r.Code != cli.ExitDone {
			t.Errorf("%s: %s", name, r.Stderr)
		}
	}
	s.over(t, "http://127.0.0.1:1", "", "items", "list").WantFailure(t, cli.ExitFailed, "server http://127.0.0.1:1: ", "refused")
	s.over(t, "https"+strings.TrimPrefix(s.environ[0], "BOTWORK_SERVER=http"), "", "items", "list").WantFailure(t, cli.ExitFailed, "does not use TLS at this address")
	for _, address := range []string{"http://botwork.example.com", "botwork.example.com", "https://user:secret@botwork.example.com"} {
		r := s.over(t, address, "", "items", "list")
		r.WantFailure(t, cli.ExitUsage, "the server's address")
		if strings.Contains(r.Stderr, "secret") {
			t.Errorf("the error has the password: %s", r.Stderr)
		}
	}
}

func TestServerWithAPrivateAuthority(t *testing.T) {
	s := bothWays(t, func() {})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"count": 7}`) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	s.over(t, server.URL, "", "items", "list", "--count").WantFailure(t, cli.ExitFailed, "unknown authority", "--ca-file")
	file := filepath.Join(t.TempDir(), "ca.pem")
	clitest.WriteFile(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	if r := s.over(t, server.URL, "", "items", "list", "--count", "--ca-file", file); r.Stdout != "7\n" {
		t.Errorf("got %q, %s", r.Stdout, r.Stderr)
	}
	clitest.WriteFile(t, file, "no certificate")
	s.over(t, server.URL, "", "items", "list", "--ca-file", file).WantFailure(t, cli.ExitUsage, "has no certificate")
}

func TestTokensAndCommandsOverAServer(t *testing.T) {
	s := bothWays(t, func() {
		clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`)
		clitest.WriteFile(t, "viewer", clitest.Must(t, "tokens", "create", "eve", "--role", "viewer"))
		clitest.WriteFile(t, "revoked", "bw_"+strings.Repeat("x", 40))
	})
	server := strings.TrimPrefix(s.environ[0], "BOTWORK_SERVER=")
	do := func(args ...string) clitest.Result {
		return clitest.Do(t, append([]string{"--server", server}, args...)...)
	}
	viewer := filepath.Join(s.dir, "viewer")
	r := do("items", "cancel", "1", "--token-file", viewer)
	r.WantFailure(t, cli.ExitFailed, "the role viewer may not call items-cancel", "it needs one of: operator, editor, admin")
	if runtime.GOOS != "windows" && !strings.Contains(r.Stderr, "other users may read the token") {
		t.Errorf("no warning of the mode of the file: %s", r.Stderr)
	}
	do("items", "list", "--token-file", filepath.Join(s.dir, "revoked")).WantFailure(t, cli.ExitFailed, "token")
	do("items", "list", "--token-file", filepath.Join(s.dir, "botwork.yaml")).WantFailure(t, cli.ExitFailed, "the token")
	do("items", "list").WantFailure(t, cli.ExitUsage, "without a token", "BOTWORK_TOKEN")
	do("run").WantFailure(t, cli.ExitUsage, "botwork run does not work over a server", "items (list show logs why", "queues (list show")
	do("db", "status", "--token-file", viewer).WantFailure(t, cli.ExitUsage, "does not work over a server")
	clitest.Do(t, "items", "list", "--token-file", viewer).WantFailure(t, cli.ExitUsage, "without --server")
	t.Chdir(s.dir)
	if r := clitest.DoWith(t, "", s.environ, "items", "list", "--server", "", "--count"); r.Stdout != "1\n" {
		t.Errorf("--server \"\": %q, %s", r.Stdout, r.Stderr)
	}
	if r := clitest.DoWith(t, "", []string{s.environ[1]}, "items", "list", "--count"); r.Stdout != "1\n" {
		t.Errorf("with only a token: %q, %s", r.Stdout, r.Stderr)
	}
}
