package httpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

type requestKey struct{}

// request is what the server knows about a request.
type request struct {
	id      string
	address string
	secure  bool
	release func() // gives the place among the processed requests back; nil outside of the limiter
	connect *http.ResponseController
	longest int64 // bytes of the body

	timeouts Timeouts
	received bool // the whole body was read, or there is none
	waited   bool // the deadline of the request was removed
	unbound  bool // that of the answer was removed, and no other was set
}

func requestFrom(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// RequestID returns the id of the request of ctx; "" outside of a request.
func RequestID(ctx context.Context) string { return requestFrom(ctx).id }

// ClientAddress returns the address of the client, without its port.
func ClientAddress(ctx context.Context) string { return requestFrom(ctx).address }

// Secure reports whether the client's connection is encrypted.
func Secure(ctx context.Context) bool { return requestFrom(ctx).secure }

// Waits tells the server that the request now waits for something to happen: it gives back its
// place among the requests that are processed, and may take longer than others. The caller must
// bound the requests that wait, and must not read the body afterwards. When the handler writes, the
// client has the time of Timeouts.Write to receive it, unless WritesFor says otherwise.
func Waits(ctx context.Context) {
	r := requestFrom(ctx)
	if r.release != nil {
		r.release()
	}
	if r.connect != nil {
		if r.unbound = true; r.received {
			// When a read deadline passes, net/http takes the client for gone and cancels ctx. But
			// it reads a body to its end before it sends an answer, so that keeps its deadline.
			r.waited = true
			_ = r.connect.SetReadDeadline(time.Time{})
		}
		_ = r.connect.SetWriteDeadline(time.Time{})
	}
}

// LongBody lets the request have a body of up to this many bytes instead of Limits.Body. It must be
// called before the body is read; the caller must bound what it keeps of it.
func LongBody(ctx context.Context, bytes int64) { requestFrom(ctx).longest = bytes }

// boundedBody is the body of a request. Its bound is fixed when it is first read.
type boundedBody struct {
	io.ReadCloser
	w       http.ResponseWriter
	request *request
	limited io.ReadCloser
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.limited == nil {
		b.limited = http.MaxBytesReader(b.w, b.ReadCloser, b.request.longest)
	}
	n, err := b.limited.Read(p)
	b.request.received = b.request.received || errors.Is(err, io.EOF)
	return n, err
}

// ReadsFor and WritesFor give the client of a stream this long from now to send or to receive
// the next part.
func ReadsFor(ctx context.Context, d time.Duration) {
	if r := requestFrom(ctx); r.connect != nil {
		_ = r.connect.SetReadDeadline(time.Now().Add(d))
	}
}

// WritesFor is like ReadsFor for what the server sends.
func WritesFor(ctx context.Context, d time.Duration) {
	if r := requestFrom(ctx); r.connect != nil {
		r.unbound = false
		_ = r.connect.SetWriteDeadline(time.Now().Add(d))
	}
}

// beginWrite sets a deadline for an answer that has none.
func (r *request) beginWrite() {
	if r.unbound {
		r.unbound = false
		_ = r.connect.SetWriteDeadline(time.Now().Add(r.timeouts.Write))
	}
}

// finish sets the deadlines that a request without one needs after its handler: net/http sends the
// rest of the answer.
func (r *request) finish() {
	r.beginWrite()
	if r.waited {
		_ = r.connect.SetReadDeadline(time.Now().Add(r.timeouts.Header))
	}
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	request *request
	status  int
	wrote   bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, status >= 200
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if !r.wrote {
		r.status, r.wrote = http.StatusOK, true
	}
	r.request.beginWrite()
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements http.Flusher, for handlers that stream.
func (r *recorder) Flush() {
	r.wrote = true
	r.request.beginWrite()
	if err := http.NewResponseController(r.ResponseWriter).Flush(); errors.Is(err, http.ErrNotSupported) {
		return
	}
}
