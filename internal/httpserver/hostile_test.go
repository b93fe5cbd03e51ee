package httpserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/internal/httpserver"
)

// short are the bounds of the tests: an attack has to end by them, not by those of the tests.
var short = httpserver.Timeouts{Header: 300 * time.Millisecond, Read: 500 * time.Millisecond, Write: time.Second, Idle: 400 * time.Millisecond}

// patience is when a test gives up.
const patience = time.Minute

// target is a server that is attacked.
type target struct {
	*testing.T
	*httpserver.Server
	handlers sync.WaitGroup // that have not returned
	paths    sync.Map       // that were called
}

// attacked starts a server. At the end of the test it has to stop without help, and without a
// goroutine that is left.
func attacked(t *testing.T, o httpserver.Options) *target {
	before := goleak.IgnoreCurrent()
	x := &target{T: t}
	o.Listen, o.Timeouts, o.Limits = "127.0.0.1:0", short, httpserver.Limits{Body: 1 << 20, Requests: 500, Waiting: 500, PerSecond: 100_000}
	var err error
	if x.Server, err = httpserver.Listen(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	x.Serve(http.HandlerFunc(x.handle))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := x.Shutdown(ctx); err != nil || ctx.Err() != nil {
			t.Errorf("Shutdown: %v, %v", err, ctx.Err())
		}
		x.handlersEnd()
		// net/http waits for half a second before it closes a connection with unread data.
		left := goleak.Find(before)
		for end := time.Now().Add(patience); left != nil && time.Now().Before(end); left = goleak.Find(before) {
			time.Sleep(10 * time.Millisecond)
		}
		if left != nil {
			t.Error(left)
		}
	})
	return x
}

// handle has what handlers of the API do: they read, write much, wait, and stream.
func (x *target) handle(w http.ResponseWriter, r *http.Request) {
	x.handlers.Add(1)
	defer x.handlers.Done()
	x.paths.Store(r.URL.Path, true)
	ctx := r.Context()
	switch r.URL.Path {
	case "/read":
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, "the body: "+err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		fmt.Fprint(w, "read")
	case "/large":
		for range 1000 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	case "/wait":
		httpserver.Waits(ctx)
		select {
		case <-ctx.Done():
		case <-x.Draining():
			fmt.Fprint(w, "nothing yet")
		case <-time.After(short.Write / 5):
			fmt.Fprint(w, strings.Repeat("an answer ", 1<<24))
		}
	case "/poll":
		httpserver.Waits(ctx)
		select {
		case <-ctx.Done():
		case <-x.Draining():
			fmt.Fprint(w, "nothing yet")
		}
	case "/events":
		httpserver.Waits(ctx)
		event := "data: " + strings.Repeat("x", 1<<16) + "\n\n"
		for {
			httpserver.WritesFor(ctx, short.Write)
			if _, err := io.WriteString(w, event); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-x.Draining():
				fmt.Fprint(w, "event: bye\n\n")
				return
			default:
			}
		}
	case "/quiet": // a stream without an event, which ends
		httpserver.Waits(ctx)
		fmt.Fprint(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
	default:
		fmt.Fprint(w, "ok")
	}
}

// dial opens a connection and sends a text.
func (x *target) dial(text string) net.Conn {
	x.Helper()
	conn, err := net.Dial("tcp", x.address())
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		x.Fatal(err)
	}
	return conn
}

func (x *target) address() string {
	_, address, _ := strings.Cut(x.URL(), "://")
	return address
}

// drip sends a byte again and again until the connection ends or stop is called.
func drip(conn net.Conn, text string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

// serves checks that another client is served.
func (x *target) serves() {
	x.Helper()
	if res, body := get(x.T, "http://"+x.address()+"/other", nil); res.StatusCode != 200 || body != "ok" {
		x.Errorf("another client: got %d %s", res.StatusCode, body)
	}
}

// ends reads until the server ends the connection, and returns what came before.
func (x *target) ends(conn net.Conn) string {
	x.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	text, err := io.ReadAll(conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		x.Errorf("the server has not ended the connection; it sent %.200q", text)
	}
	return string(text)
}

const hosted = " HTTP/1.1\r\nHost: localhost\r\n"

// Clients that send too slowly are cut off.
func TestSlowSenders(t *testing.T) {
	for name, c := range map[string]struct {
		start, part string
		answer      string // the beginning of what the server sends
	}{
		"nothing at all":              {"", "", ""},
		"a header byte by byte":       {"GET /" + hosted + "X-Slow: ", "x", ""},
		"header fields one by one":    {"GET /" + hosted, "X-Slow: 1\r\n", ""},
		"a request line byte by byte": {"GET /", "x", ""},
		"a body byte by byte":         {"POST /read" + hosted + "Content-Length: 900000\r\n\r\n", "x", "HTTP/1.1 413"},
		"a body that never comes":     {"POST /read" + hosted + "Content-Length: 900000\r\n\r\n", "", "HTTP/1.1 413"},
		"chunks one by one":           {"POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", "HTTP/1.1 413"},
		"a body that nobody reads":    {"POST /other" + hosted + "Content-Length: 100000\r\n\r\n", "x", "HTTP/1.1 200"},
		"a body of a stream":          {"POST /quiet" + hosted + "Content-Length: 100000\r\n\r\n", "x", "HTTP/1.1 200"},
		"a body of a stream, absent":  {"POST /quiet" + hosted + "Content-Length: 100000\r\n\r\n", "", "HTTP/1.1 200"},
		"a body that is not expected": {"POST /other" + hosted + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n", "", "HTTP/1.1 200"},
	} {
		t.Run(name, func(t *testing.T) {
			x := attacked(t, httpserver.Options{})
			conn := x.dial(c.start)
			stop := func() {}
			if c.part != "" {
				stop = drip(conn, c.part)
			}
			defer stop()
			x.serves()
			if got := x.ends(conn); !strings.HasPrefix(got, c.answer) {
				t.Errorf("got the answer %.300q, want %s", got, c.answer)
			}
			x.serves()
		})
	}
}

// Clients that do not read what they have asked for are cut off, and their handlers end.
func TestSlowReaders(t *testing.T) {
	for name, path := range map[string]string{
		"a large answer": "/large", "events": "/events", "an answer after a wait": "/wait",
	} {
		t.Run(name, func(t *testing.T) {
			x := attacked(t, httpserver.Options{})
			var conns []net.Conn
			for range 5 {
				conns = append(conns, x.dial("GET "+path+hosted+"\r\n"))
			}
			x.serves()
			x.awaitCall(path)
			x.handlersEnd() // without a byte read
			x.serves()
			for _, conn := range conns {
				x.ends(conn)
			}
		})
	}
	t.Run("pipelined requests", func(t *testing.T) {
		x := attacked(t, httpserver.Options{})
		conn := x.dial(strings.Repeat("GET /large"+hosted+"\r\n", 20))
		x.serves()
		x.awaitCall("/large")
		x.handlersEnd()
		x.ends(conn)
	})
}

// handlersEnd waits until all handlers have returned.
func (x *target) handlersEnd() {
	x.Helper()
	ended := make(chan struct{})
	go func() { x.handlers.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		x.Fatal("a handler has not ended")
	}
}

// awaitCall waits until a handler was called.
func (x *target) awaitCall(path string) {
	x.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, called := x.paths.Load(path); called {
			return
		}
		if time.Now().After(deadline) {
			x.Fatalf("no handler was called for %s", path)
		}
	}
}

// Many connections that do nothing are closed, and meanwhile others are served.
func TestIdleConnections(t *testing.T) {
	x := attacked(t, httpserver.Options{})
	var conns []net.Conn
	for i := range 200 {
		text := ""
		if i%2 == 0 {
			text = "GET /other" + hosted + "\r\n"
		}
		conns = append(conns, x.dial(text))
	}
	x.serves()
	for i, conn := range conns {
		if got := x.ends(conn); (i%2 == 0) != strings.HasSuffix(got, "ok") {
			t.Fatalf("connection %d: got %q", i, got)
		}
	}
}

// Requests that are sent together are answered in their order.
func TestPipelining(t *testing.T) {
	x := attacked(t, httpserver.Options{})
	conn := x.dial("POST /read" + hosted + "Content-Length: 3\r\n\r\nabcGET /other" + hosted + "\r\nGET /" + hosted + "Connection: close\r\n\r\n")
	got := x.ends(conn)
	if first, second := strings.Index(got, "\r\n\r\nread"), strings.Index(got, "\r\n\r\nok"); strings.Count(got, "HTTP/1.1 200") != 3 || first < 0 || second < first {
		t.Errorf("got %s", got)
	}
}

// Whatever a proxy in front makes of a request with two lengths, nothing that it may have taken for
// its body is answered as a request.
func TestSmuggling(t *testing.T) {
	smuggled := "GET /smuggled" + hosted + "\r\n"
	for name, text := range map[string]string{
		"length and chunks":          "POST /read" + hosted + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunks and length":          "POST /read" + hosted + "Transfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n0\r\n\r\n",
		"unread chunks and length":   "POST /other" + hosted + "Transfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n0\r\n\r\n",
		"two lengths":                "POST /read" + hosted + "Content-Length: 0\r\nContent-Length: 60\r\n\r\n",
		"a list of lengths":          "POST /read" + hosted + "Content-Length: 0, 60\r\n\r\n",
		"a signed length":            "POST /read" + hosted + "Content-Length: +0\r\n\r\n",
		"unknown encoding":           "POST /read" + hosted + "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n",
		"two encodings":              "POST /read" + hosted + "Transfer-Encoding: chunked, identity\r\nContent-Length: 0\r\n\r\n",
		"encoding in two lines":      "POST /read" + hosted + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
		"a space before the colon":   "POST /read" + hosted + "Content-Length : 0\r\n\r\n",
		"chunks in HTTP/1.0":         "POST /read HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
		"a folded header":            "POST /read" + hosted + "X-Folded: 1\r\n Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a chunk with a wrong size":  "POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
		"a chunk with a signed size": "POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n-0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			x := attacked(t, httpserver.Options{})
			got := x.ends(x.dial(text + smuggled))
			x.serves()
			if _, called := x.paths.Load("/smuggled"); called || strings.Count(got, "HTTP/1.") > 1 {
				t.Errorf("the request in the body was answered:\n%s", got)
			}
		})
	}
}

// Requests beyond the bounds are refused, and their connections end.
func TestTooLarge(t *testing.T) {
	chunk := "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n"
	for name, c := range map[string]struct{ start, part, want string }{
		"header":                    {"GET /" + hosted + "X-Large: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "", "431"},
		"header without an end":     {"GET /" + hosted, "X-Large: " + strings.Repeat("x", 8<<10) + "\r\n", "431"},
		"header fields without end": {"GET /" + hosted, strings.Repeat("X-A: 1\r\n", 1<<10), "431"},
		"request line":              {"GET /" + strings.Repeat("x", 100<<10) + hosted + "\r\n", "", "431"},
		"body":                      {"POST /read" + hosted + "Content-Length: 2000000000\r\n\r\n", strings.Repeat("x", 1<<16), "413"},
		"chunks":                    {"POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n", chunk, "413"},
		"one chunk":                 {"POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", strings.Repeat("x", 1<<16), "413"},
		"extensions of chunks":      {"POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n", "1;" + strings.Repeat("x", 1<<10) + "\r\nx\r\n", "413"},
		"trailers":                  {"POST /read" + hosted + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-Trailer: " + strings.Repeat("x", 1<<12) + "\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := attacked(t, httpserver.Options{})
			conn, err := net.Dial("tcp", x.address())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				_, err := io.WriteString(conn, c.start)
				for c.part != "" && err == nil {
					_, err = io.WriteString(conn, c.part)
				}
			}()
			// A server that closes a connection before it has read everything may reset it, so that
			// the answer gets lost; but it must close it.
			if got := x.ends(conn); got != "" && !strings.HasPrefix(got, "HTTP/1.1 "+c.want) {
				t.Errorf("got %.300q, want %s", got, c.want)
			}
			<-sent
			x.serves()
		})
	}
}

// encrypted starts a server with TLS.
func encrypted(t *testing.T) *target {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	httpserver.WriteCertificate(t, certFile, keyFile)
	return attacked(t, httpserver.Options{CertFile: certFile, KeyFile: keyFile})
}

// A handshake that does not end is cut off.
func TestSlowHandshakes(t *testing.T) {
	hello := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" // the beginning of a ClientHello
	for name, c := range map[string]struct{ start, part string }{
		"nothing": {"", ""}, "a part of the hello": {hello, ""}, "the hello byte by byte": {hello, "x"}, "HTTP in clear text": {"GET /" + hosted, "X-Slow: 1\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			x := encrypted(t)
			conn := x.dial(c.start)
			stop := func() {}
			if c.part != "" {
				stop = drip(conn, c.part)
			}
			defer stop()
			x.servesTLS()
			x.ends(conn)
		})
	}
}

func (x *target) tls(protocols ...string) *tls.Conn {
	x.Helper()
	conn := tls.Client(x.dial(""), &tls.Config{InsecureSkipVerify: true, NextProtos: protocols}) //nolint:gosec // the test's own server
	if err := conn.HandshakeContext(x.Context()); err != nil {
		x.Fatal(err)
	}
	return conn
}

// servesTLS checks that another client is served.
func (x *target) servesTLS() {
	x.Helper()
	conn := x.tls()
	fmt.Fprint(conn, "GET /other"+hosted+"Connection: close\r\n\r\n")
	if got, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(got), "ok") {
		x.Errorf("another client: got %q, %v", got, err)
	}
}

// frame returns a frame of HTTP/2 (RFC 9113, section 4.1).
func frame(kind, flags byte, stream uint32, payload string) string {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	return string(binary.BigEndian.AppendUint32(append(head, flags), stream)) + payload
}

// A client of HTTP/2 that allows a large answer and then reads nothing from its connection is cut
// off.
func TestSlowReaderHTTP2(t *testing.T) {
	const settings, headers, windowUpdate = 4, 1, 8
	const endOfStream, endOfHeaders = 1, 4
	largest := string(binary.BigEndian.AppendUint32(nil, 1<<31-1))
	for _, path := range []string{"/large", "/events"} {
		t.Run(path, func(t *testing.T) {
			x := encrypted(t)
			conn := x.tls("h2")
			if got := conn.ConnectionState().NegotiatedProtocol; got != "h2" {
				t.Fatalf("got the protocol %q", got)
			}
			request := "\x82\x87" + "\x04" + string(rune(len(path))) + path + "\x01\x09localhost" // GET, https, path, authority
			text := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, "\x00\x04"+largest) +
				frame(windowUpdate, 0, 0, string(binary.BigEndian.AppendUint32(nil, 1<<31-1-65535))) +
				frame(headers, endOfStream|endOfHeaders, 1, request)
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			x.awaitCall(path)
			x.servesTLS()
			x.handlersEnd()
			x.ends(conn.NetConn())
		})
	}
}

// At a shutdown, what waits is answered, streams end, and clients that hold a request back are cut
// off when its time is over.
func TestDrainWithHostileClients(t *testing.T) {
	x := attacked(t, httpserver.Options{})
	waiting, stream := x.dial("GET /poll"+hosted+"\r\n"), x.dial("GET /events"+hosted+"\r\n")
	x.awaitCall("/poll")
	x.awaitCall("/events")
	events := make(chan string, 1)
	go func() { events <- x.ends(stream) }()
	unread := x.dial("GET /large" + hosted + "\r\n")
	x.awaitCall("/large")
	upload := x.dial("POST /read" + hosted + "Content-Length: 900000\r\n\r\n")
	defer drip(upload, "x")()
	x.awaitCall("/read")
	header, idle := x.dial("GET /"+hosted), x.dial("GET /other"+hosted+"\r\n")
	if res, err := http.ReadResponse(bufio.NewReader(idle), nil); err != nil || res.StatusCode != 200 {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), short.Read/5) // sooner than the bounds of the requests
	defer cancel()
	if err := x.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if got := x.ends(waiting); !strings.HasSuffix(got, "nothing yet") {
		t.Errorf("the request that waited got %q", got)
	}
	if got := <-events; !strings.Contains(got[max(0, len(got)-100):], "event: bye") {
		t.Errorf("the stream ended with %q", got[max(0, len(got)-100):])
	}
	for _, conn := range []net.Conn{unread, upload, header, idle} {
		x.ends(conn)
	}
	x.handlersEnd()
}
