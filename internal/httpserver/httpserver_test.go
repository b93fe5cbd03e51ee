package httpserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/httpserver"
)

var limits = httpserver.Limits{Body: 1 << 20, Requests: 10, Waiting: 10, PerSecond: 1000}

// start serves a handler and returns the server.
func start(t *testing.T, o httpserver.Options, handler http.HandlerFunc) *httpserver.Server {
	t.Helper()
	if o.Limits.Body == 0 {
		o.Limits = limits
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s, err := httpserver.Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(handler)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }

// get sends a GET request, changed by the function.
func get(t *testing.T, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func code(body string) string {
	var p httpserver.Problem
	if json.Unmarshal([]byte(body), &p) != nil {
		return ""
	}
	return p.Code
}

func TestHosts(t *testing.T) {
	s := start(t, httpserver.Options{PublicURL: "https://bots.example.com"}, ok)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(start(t, httpserver.Options{}, ok).URL(), "http://"))
	if s.URL() != "https://bots.example.com" || port == "0" {
		t.Errorf("got the URL %s, port %s", s.URL(), port)
	}
	other := start(t, httpserver.Options{}, ok)
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:80": 200, "127.0.0.1": 200, "[::1]:8321": 200, "10.1.2.3:8321": 200, "localhost.": 200,
		"bots.example.com": 421, "evil.example.com": 421, "127.0.0.1.evil.example.com": 421,
	} {
		res, body := get(t, other.URL(), func(r *http.Request) { r.Host = host })
		if res.StatusCode != want || want == 421 && code(body) != "host-not-allowed" {
			t.Errorf("Host %q: got %d %s, want %d", host, res.StatusCode, body, want)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	s := start(t, httpserver.Options{}, ok)
	for _, c := range []struct {
		method, origin, site string
		want                 int
	}{
		{"POST", "", "", 200}, // a program
		{"POST", s.URL(), "same-origin", 200},
		{"POST", "https://evil.example.com", "cross-site", 403},
		{"POST", "https://evil.example.com", "", 403},
		{"POST", "null", "", 403},
		{"DELETE", "", "same-site", 403},
		{"GET", "https://evil.example.com", "cross-site", 200}, // reading needs a token or a cookie, and changes nothing
	} {
		res, body := get(t, s.URL(), func(r *http.Request) {
			r.Method = c.method
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
		})
		if res.StatusCode != c.want {
			t.Errorf("%s from %q %q: got %d %s, want %d", c.method, c.origin, c.site, res.StatusCode, body, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := start(t, httpserver.Options{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, httpserver.RequestID(r.Context()))
	})
	res, body := get(t, s.URL(), nil)
	if id := res.Header.Get("X-Request-Id"); id == "" || id != body {
		t.Errorf("got the request id %q, in the handler %q", id, body)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Strict-Transport-Security": "",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("got the policy %q", policy)
	}
	for sent, kept := range map[string]bool{"abc-1.2_X": true, "with space": false, strings.Repeat("a", 65): false, `"><script>`: false} {
		res, _ := get(t, s.URL(), func(r *http.Request) { r.Header.Set("X-Request-Id", sent) })
		if got := res.Header.Get("X-Request-Id"); (got == sent) != kept {
			t.Errorf("sent the id %q, got %q", sent, got)
		}
	}
}

// Headers of a proxy count only if it is trusted, and only what it has added itself.
func TestProxies(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %v", httpserver.ClientAddress(r.Context()), httpserver.Secure(r.Context()))
	}
	trusting := start(t, httpserver.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.1/32")}}, show)
	plain := start(t, httpserver.Options{}, show)
	for _, c := range []struct {
		server         *httpserver.Server
		forward, proto string
		want           string
	}{
		{plain, "1.2.3.4", "https", "127.0.0.1 false"},
		{trusting, "", "", "127.0.0.1 false"},
		{trusting, "1.2.3.4", "https", "1.2.3.4 true"},
		{trusting, "6.6.6.6, 1.2.3.4", "http", "1.2.3.4 false"},
		{trusting, "6.6.6.6, 1.2.3.4, 10.0.0.1", "https", "1.2.3.4 true"},
		{trusting, "nonsense", "", "127.0.0.1 false"},
	} {
		_, body := get(t, c.server.URL(), func(r *http.Request) {
			r.Header.Set("X-Forwarded-For", c.forward)
			r.Header.Set("X-Forwarded-Proto", c.proto)
		})
		if body != c.want {
			t.Errorf("forwarded for %q by %q: got %q, want %q", c.forward, c.proto, body, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	block, entered := make(chan struct{}), make(chan struct{}, 10)
	s := start(t, httpserver.Options{Limits: httpserver.Limits{Body: 100, Requests: 2, Waiting: 1, PerSecond: 30}}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/block":
			entered <- struct{}{}
			<-block
		case "/wait":
			httpserver.Waits(r.Context())
			entered <- struct{}{}
			<-block
		case "/body":
			if _, err := io.ReadAll(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			}
		case "/panic":
			panic("a secret")
		}
	})
	done := make(chan int, 10)
	background := func(path string) {
		res, _ := get(t, s.URL()+path, nil)
		done <- res.StatusCode
	}
	for range 3 { // those that wait take no place
		go background("/wait")
		<-entered
	}
	for range 2 {
		go background("/block")
		<-entered
	}
	res, body := get(t, s.URL(), nil)
	if res.StatusCode != 429 || code(body) != "busy" || res.Header.Get("Retry-After") != "1" {
		t.Errorf("beyond the bound: got %d %s", res.StatusCode, body)
	}
	close(block)
	for range 5 {
		if status := <-done; status != 200 {
			t.Errorf("a request that waited got %d", status)
		}
	}

	res, _ = get(t, s.URL()+"/body", func(r *http.Request) {
		r.Method, r.Body = "POST", io.NopCloser(strings.NewReader(strings.Repeat("x", 101)))
	})
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: got %d", res.StatusCode)
	}
	res, body = get(t, s.URL()+"/panic", nil)
	if res.StatusCode != 500 || code(body) != "internal" || strings.Contains(body, "secret") {
		t.Errorf("a panic: got %d %s", res.StatusCode, body)
	}

	refused := 0
	for range 50 {
		res, body = get(t, s.URL(), func(r *http.Request) { r.Header.Set("Authorization", "Bearer bw_one") })
		if res.StatusCode == 429 {
			refused++
			if code(body) != "too-many-requests" || res.Header.Get("Retry-After") == "" {
				t.Fatalf("got %s", body)
			}
		}
	}
	if refused == 0 {
		t.Error("50 requests at once of one caller were all processed, want at most about 30")
	}
	if res, body := get(t, s.URL(), func(r *http.Request) { r.Header.Set("Authorization", "Bearer bw_two") }); res.StatusCode != 200 {
		t.Errorf("another caller: got %d %s", res.StatusCode, body)
	}
}

// A client that sends its header byte by byte is cut off; here with a short header that is too
// large instead, because the timeout is 10 seconds.
func TestLargeHeader(t *testing.T) {
	s := start(t, httpserver.Options{}, ok)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: %s\r\n\r\n", strings.Repeat("x", 100<<10))
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d, want 431", res.StatusCode)
	}
}

// Shutdown ends requests that wait, and waits for the others.
func TestShutdown(t *testing.T) {
	var s *httpserver.Server
	entered, working := make(chan struct{}, 2), make(chan struct{})
	s = start(t, httpserver.Options{}, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		if r.URL.Path == "/wait" {
			httpserver.Waits(r.Context())
			<-s.Draining()
			fmt.Fprint(w, "nothing yet")
			return
		}
		<-working
		fmt.Fprint(w, "worked")
	})
	bodies := make(chan string, 2)
	for _, path := range []string{"/wait", "/work"} {
		go func() {
			_, body := get(t, s.URL()+path, nil)
			bodies <- body
		}()
		<-entered
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(t.Context()) }()
	if body := <-bodies; body != "nothing yet" {
		t.Errorf("the waiting request got %q", body)
	}
	close(working)
	if body := <-bodies; body != "worked" {
		t.Errorf("the working request got %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestListenFails(t *testing.T) {
	s := start(t, httpserver.Options{}, ok)
	taken := strings.TrimPrefix(s.URL(), "http://")
	if _, err := httpserver.Listen(t.Context(), httpserver.Options{Listen: taken, Limits: limits}); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("got %v, want an error that names %s", err, taken)
	}
	if _, err := httpserver.Listen(t.Context(), httpserver.Options{Listen: "127.0.0.1:0", CertFile: "no", KeyFile: "no"}); err == nil || !strings.Contains(err.Error(), "http.tls") {
		t.Errorf("got %v, want an error about the certificate", err)
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := httpserver.WriteCertificate(t, certFile, keyFile)
	s := start(t, httpserver.Options{CertFile: certFile, KeyFile: keyFile, Log: zerolog.Nop()}, ok)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get("Strict-Transport-Security") == "" {
		t.Error("an encrypted answer has no Strict-Transport-Security")
	}
}
