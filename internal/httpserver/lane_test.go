package httpserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/httpserver"
)

// lanes is a handler whose paths say their lanes.
type lanes struct{ http.HandlerFunc }

func (lanes) Lane(r *http.Request) httpserver.Lane {
	switch {
	case strings.HasPrefix(r.URL.Path, "/public/"):
		return httpserver.Public
	case strings.HasPrefix(r.URL.Path, "/beat/"):
		return httpserver.Heartbeat
	case strings.HasPrefix(r.URL.Path, "/health/"):
		return httpserver.Health
	}
	return httpserver.General
}

// besieged is a server that processes few requests at the same time. entered gets the path of each request
// whose handler was called.
type besieged struct {
	*testing.T
	*httpserver.Server
	entered chan string
}

const processed = 4

func besiege(t *testing.T, limits httpserver.Limits) *besieged {
	t.Helper()
	return besiegeWith(t, httpserver.Options{Limits: limits})
}

func besiegeWith(t *testing.T, o httpserver.Options) *besieged {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	s, err := httpserver.Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	x := &besieged{t, s, make(chan string, 1000)}
	hold := make(chan struct{})
	large := strings.Repeat("x", 1<<20)
	s.Serve(lanes{func(w http.ResponseWriter, r *http.Request) {
		x.entered <- r.URL.Path
		switch {
		case strings.HasSuffix(r.URL.Path, "/read"):
			if _, err := io.ReadAll(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusTooManyRequests)
				return
			}
		case strings.HasSuffix(r.URL.Path, "/large"):
			for range 64 { // more than the buffers of sockets hold
				if _, err := io.WriteString(w, large); err != nil {
					return
				}
			}
		case strings.HasSuffix(r.URL.Path, "/hold"):
			<-hold
		case strings.HasSuffix(r.URL.Path, "/pause"):
			resume := httpserver.Pauses(r.Context())
			<-hold
			resume()
		}
		fmt.Fprint(w, "ok")
	}})
	t.Cleanup(func() {
		close(hold)
		_ = s.Shutdown(t.Context()) // ended: it cuts the connections
	})
	return x
}

// send opens a connection and sends a text.
func (x *besieged) send(text string) net.Conn {
	x.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(x.URL(), "http://"))
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		x.Fatal(err)
	}
	return conn
}

// awaitEntered waits until the handlers of n requests were called.
func (x *besieged) awaitEntered(n int) {
	x.Helper()
	for i := range n {
		select {
		case <-x.entered:
		case <-time.After(patience):
			x.Fatalf("%d of %d handlers were called", i, n)
		}
	}
}

// answer sends a request and returns the status and the code of its problem.
func (x *besieged) answer(path string) string {
	x.Helper()
	res, body := get(x.T, x.URL()+path, nil)
	return strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", code(body)))
}

var fewPlaces = httpserver.Limits{Body: 1 << 20, Requests: processed, Waiting: 1, PerSecond: 1000}

// Requests whose clients are slow keep no other from being processed, from the same address neither.
func TestSlowClientsKeepNoPlace(t *testing.T) {
	for name, text := range map[string]string{
		"half a body":                   "POST /read" + hosted + "Content-Length: 1000\r\n\r\nhalf",
		"half a form":                   "POST /public/read" + hosted + "Content-Length: 1000\r\n\r\nhalf",
		"half a chunk":                  "POST /public/read" + hosted + "Transfer-Encoding: chunked\r\n\r\n100\r\nhalf",
		"a body announced large":        "POST /read" + hosted + "Content-Length: 1000000\r\n\r\nhalf",
		"a body that is not read":       "GET /large" + hosted + "Content-Length: 1000\r\n\r\nhalf",
		"answers that are not received": "GET /public/large" + hosted + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			x := besiege(t, fewPlaces)
			n := 2 * processed // as many as one address may have
			for range n {
				x.send(text)
				x.awaitEntered(1)
			}
			open := "/public/other"
			if strings.Contains(text, "/public/") {
				open = "/other"
			}
			for _, path := range []string{open, "/beat/1", "/health/ready"} {
				if got := x.answer(path); got != "200" {
					t.Errorf("%s got %s beside %d slow clients, want 200", path, got, n)
				}
			}
		})
	}
	t.Run("half a header", func(t *testing.T) {
		x := besiege(t, fewPlaces)
		for range 50 * processed {
			x.send("POST /read" + hosted + "X-Slow: ")
		}
		if got := x.answer("/other"); got != "200" {
			t.Errorf("got %s, want 200", got)
		}
	})
}

// The same holds for requests that share one connection.
func TestSlowClientsHTTP2(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := httpserver.WriteCertificate(t, certFile, keyFile)
	x := besiegeWith(t, httpserver.Options{Limits: fewPlaces, CertFile: certFile, KeyFile: keyFile})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	defer slow.Wait()
	defer cancel()
	send := func(method, path string, body io.Reader) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, x.URL()+path, body)
		if err != nil {
			return nil, err
		}
		return client.Do(req)
	}
	for range 2*processed - 1 {
		body, half := io.Pipe()
		slow.Go(func() {
			if res, err := send(http.MethodPost, "/read", body); err == nil {
				_ = res.Body.Close()
			}
		})
		if _, err := io.WriteString(half, "half"); err != nil {
			t.Fatal(err)
		}
		x.awaitEntered(1)
	}
	res, err := send(http.MethodGet, "/other", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusOK || res.ProtoMajor != 2 {
		t.Errorf("got %s by %s, want 200 by HTTP/2", res.Status, res.Proto)
	}
}

// Slow clients of the same lane and address leave places for others until they have as many requests as an
// address may have.
func TestUnfinishedRequestsOfAnAddress(t *testing.T) {
	x := besiege(t, fewPlaces)
	var conns []net.Conn
	for range 2*processed - 1 {
		conns = append(conns, x.send("POST /public/read"+hosted+"Content-Length: 1000\r\n\r\nhalf"))
		x.awaitEntered(1)
	}
	if got := x.answer("/public/other"); got != "200" {
		t.Errorf("with %d unfinished requests got %s, want 200", len(conns), got)
	}
	x.send("POST /public/read" + hosted + "Content-Length: 1000\r\n\r\nhalf")
	x.awaitEntered(2)
	if got := x.answer("/public/other"); got != "429 busy" {
		t.Errorf("with one more got %s, want 429 busy", got)
	}
	// The rest of a body frees its request.
	fmt.Fprint(conns[0], strings.Repeat("x", 996))
	if res, err := http.ReadResponse(bufio.NewReader(conns[0]), nil); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("a whole body got %v, %v", res, err)
	}
}

// What is processed, and never waits for the network, fills a lane; the other lanes go on.
func TestLanesAreApart(t *testing.T) {
	for _, lane := range []string{"/", "/public/", "/beat/"} {
		x := besiege(t, fewPlaces)
		for range processed {
			x.send("GET " + lane + "hold" + hosted + "\r\n")
			x.awaitEntered(1)
		}
		for _, other := range []string{"/", "/public/", "/beat/", "/health/"} {
			want := "200"
			if other == lane {
				want = "429 busy"
			}
			if got := x.answer(other + "other"); got != want {
				t.Errorf("with %s full, %s got %s, want %s", lane, other, got, want)
			}
		}
	}
}

// A handler that waits for another server keeps no place.
func TestPauses(t *testing.T) {
	x := besiege(t, fewPlaces)
	for range 2*processed - 1 {
		x.send("GET /pause" + hosted + "\r\n")
		x.awaitEntered(1)
	}
	if got := x.answer("/other"); got != "200" {
		t.Errorf("got %s, want 200", got)
	}
}

// Many half bodies hold no more memory than the bound of their lane, and that of their address.
func TestBodiesAreBounded(t *testing.T) {
	limits := httpserver.Limits{Body: 16 << 20, Requests: processed, Waiting: 1, PerSecond: 1000}
	x := besiege(t, limits)
	half := strings.Repeat("x", 10<<20)
	var conns []net.Conn
	for range 4 { // 40 MB, of the 32 MB of an address
		conns = append(conns, x.send("POST /public/read"+hosted+"Content-Length: 15000000\r\n\r\n"))
		x.awaitEntered(1)
	}
	answers := make(chan int, len(conns))
	for _, conn := range conns {
		go func() { _, _ = io.WriteString(conn, half) }()
		go func() {
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				answers <- res.StatusCode
				_ = res.Body.Close()
			}
		}()
	}
	if status := <-answers; status != http.StatusTooManyRequests {
		t.Errorf("a body beyond the memory got %d, want 429", status)
	}
	if got := x.answer("/read"); got != "200" {
		t.Errorf("a request of the other lane got %s, want 200", got)
	}
}

// A body that is announced as too large is refused before the client is asked to send it.
func TestAnnouncedBody(t *testing.T) {
	x := attacked(t, httpserver.Options{})
	got := x.ends(x.dial("POST /read" + hosted + "Expect: 100-continue\r\nContent-Length: 2000000000\r\n\r\n"))
	if !strings.HasPrefix(got, "HTTP/1.1 413") {
		t.Errorf("got %.300q, want 413", got)
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "::ffff:192.0.2.7": "::ffff:192.0.2.7", "no address": "no address",
	} {
		if got := httpserver.Network(address); got != want {
			t.Errorf("Network(%s) = %s, want %s", address, got, want)
		}
	}
}
