package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"botwork/internal/author/lsp/rpc"
)

// handler behaves as the name of the method says.
type handler struct {
	mu     sync.Mutex
	order  []string
	errors []string

	started chan struct{}
	release chan struct{}
}

func (h *handler) record(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.order = append(h.order, what)
}

func (h *handler) Request(method string, params json.RawMessage) (rpc.Work, error) {
	h.record("request " + method)
	switch method {
	case "refuse":
		return nil, rpc.Errorf(rpc.InvalidParams, "no")
	case "fall early":
		panic("early")
	}
	return func(ctx context.Context) (any, error) {
		switch method {
		case "fail":
			return nil, errors.New("it failed")
		case "fall":
			panic("late")
		case "wait":
			h.started <- struct{}{}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-h.release:
			}
		case "unwritable":
			return make(chan int), nil
		}
		return method, nil
	}, nil
}

func (h *handler) Notify(method string, _ json.RawMessage) bool {
	h.record("notify " + method)
	if method == "fall" {
		panic("notified")
	}
	return method == "last"
}

func (h *handler) LogError(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errors = append(h.errors, text)
}

// connection is a connection with the client's side.
type connection struct {
	*handler
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func connect(t *testing.T) *connection {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &connection{
		handler: &handler{started: make(chan struct{}), release: make(chan struct{})},
		in:      inWrite, out: bufio.NewReader(outRead), done: make(chan error, 1),
	}
	go func() { c.done <- rpc.NewConn(outWrite, c.handler).Serve(t.Context(), inRead) }()
	t.Cleanup(func() { _ = inWrite.Close(); _ = outRead.Close() })
	return c
}

func (c *connection) write(t *testing.T, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
	}
}

// next reads the next message of the server.
func (c *connection) next(t *testing.T) string {
	t.Helper()
	var length int
	if _, err := fmt.Fscanf(c.out, "Content-Length: %d\r\n\r\n", &length); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.out, body); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func request(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
}

func TestAnswers(t *testing.T) {
	c := connect(t)
	for _, tt := range []struct{ body, want string }{
		{request(1, "echo"), `{"jsonrpc":"2.0","id":1,"result":"echo"}`},
		{`{"jsonrpc":"2.0","id":"a","method":"echo"}`, `{"jsonrpc":"2.0","id":"a","result":"echo"}`},
		{request(2, "refuse"), `"id":2,"error":{"code":-32602,"message":"no"}`},
		{request(3, "fail"), `"id":3,"error":{"code":-32603,"message":"it failed"}`},
		{request(4, "fall"), `"id":4,"error":{"code":-32603,"message":"fall: internal error: late"}`},
		{request(5, "fall early"), `"id":5,"error":{"code":-32603`},
		{request(6, "unwritable"), `"id":6,"error":{"code":-32603`},
		{`{`, `"id":null,"error":{"code":-32700`},
		{`7`, `"id":null,"error":{"code":-32600`},
		{`[]`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"echo"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"1.0","id":8,"method":"echo"}`, `"id":8,"error":{"code":-32600`},
	} {
		c.write(t, tt.body)
		if got := c.next(t); !strings.Contains(got, tt.want) {
			t.Errorf("%s is answered by %s, want %s", tt.body, got, tt.want)
		}
	}
	c.write(t, `{"jsonrpc":"2.0","method":"fall"}`, `{"jsonrpc":"2.0","id":9,"result":1}`, `{"jsonrpc":"2.0","method":"last"}`)
	if err := <-c.done; err != nil {
		t.Errorf("Serve = %v, want nil after the last notification", err)
	}
	if all := strings.Join(c.errors, "\n"); strings.Count(all, "panic in") != 3 || !strings.Contains(all, "rpc_test.go") {
		t.Errorf("logged errors = %s\nwant three panics with their stacks", all)
	}
}

func TestMalformedFrames(t *testing.T) {
	for name, malformed := range map[string]string{
		"a line without a header": "hello\r\n\r\n",
		"an invalid length":       "Content-Length: x\r\n\r\n",
		"a negative length":       "Content-Length: -1\r\n\r\n",
		"a header without end":    "X-Long: " + strings.Repeat("a", 10_000) + "\r\n\r\n",
		"blank lines":             "\r\n\r\n\r\n",
		"no length":               "Content-Type: x\r\n\r\nhello\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			go func() { // concurrently, because the answers must be read meanwhile
				_, _ = io.WriteString(c.in, malformed)
				_, _ = fmt.Fprintf(c.in, "content-length: %d\r\nContent-Type: x\r\n\r\n%s", len(request(1, "echo")), request(1, "echo"))
			}()
			for {
				got := c.next(t)
				if strings.Contains(got, `"id":1,"result":"echo"`) {
					return
				}
				if !strings.Contains(got, `"id":null,"error":{"code":-32700`) {
					t.Fatalf("got %s", got)
				}
			}
		})
	}
}

func TestServeReturnsEOF(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "half a header": "Content-Le", "half a message": "Content-Length: 10\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			_, _ = io.WriteString(c.in, text)
			_ = c.in.Close()
			if err := <-c.done; !errors.Is(err, io.EOF) {
				t.Errorf("Serve = %v, want io.EOF", err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	c := connect(t)
	c.write(t, request(1, "wait"))
	<-c.started
	c.write(t, request(1, "echo"))
	if got := c.next(t); !strings.Contains(got, `"id":1,"error":{"code":-32600`) {
		t.Errorf("an id that is in use: %s", got)
	}
	c.write(t, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	if got := c.next(t); !strings.Contains(got, `"id":1,"error":{"code":-32800`) {
		t.Errorf("the cancelled request: %s, want -32800", got)
	}
}

// TestParallel sends requests while others are in progress. Requests are handled in
// order, but their answers can come in another order.
func TestParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		const waiting = 12
		for id := range waiting {
			c.write(t, request(id, "wait"))
			<-c.started
		}
		c.write(t, request(100, "echo"))
		if got := c.next(t); !strings.Contains(got, `"id":100,"result"`) {
			t.Errorf("while other requests are in progress: %s", got)
		}
		c.write(t, `{"jsonrpc":"2.0","method":"note"}`)
		synctest.Wait()
		c.mu.Lock()
		if last := c.order[len(c.order)-1]; last != "notify note" || len(c.order) != waiting+2 {
			t.Errorf("order = %q", c.order)
		}
		c.mu.Unlock()
		close(c.release)
		for range waiting {
			if got := c.next(t); !strings.Contains(got, `"result":"wait"`) {
				t.Errorf("got %s", got)
			}
		}
		_ = c.in.Close()
		<-c.done
	})
}

// TestServeCancelsWork ends the connection while a request is in progress.
func TestServeCancelsWork(t *testing.T) {
	c := connect(t)
	c.write(t, request(1, "wait"))
	<-c.started
	c.write(t, `{"jsonrpc":"2.0","method":"last"}`)
	if got := c.next(t); !strings.Contains(got, `"id":1,"error":{"code":-32800`) {
		t.Errorf("got %s", got)
	}
	if err := <-c.done; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}
