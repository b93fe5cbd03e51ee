package httpserver

import (
	"context"
	"errors"
	"net/http"
	"time"
)

type requestKey struct{}

// request is what the server knows about a request.
type request struct {
	id      string
	address string
	secure  bool
	place   *place // nil: the request uses nothing of a lane
	connect *http.ResponseController
	longest int64 // bytes of the body
	streams bool  // the handler bounds what it keeps of the body

	timeouts  Timeouts
	readUntil time.Time // the deadline of Timeouts.Read
	hurried   bool      // it has an earlier one until formSize bytes of the body were read
	received  bool      // the whole body was read, or there is none
	waited    bool      // the deadline of the request was removed
	unbound   bool      // that of the answer was removed, and no other was set
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

// Waits reports to the server that the request now waits for something to happen: it no longer counts in
// its lane, and may take longer than others. The caller must
// bound the requests that wait, and must not read the body afterwards. When the handler writes, the
// client has the time of Timeouts.Write to receive it, unless WritesFor says otherwise.
func Waits(ctx context.Context) {
	r := requestFrom(ctx)
	r.place.leave()
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

// Pauses lets another request be processed while this one waits for a short time, such as for the answer
// of another server. The caller calls the function before it goes on. Outside of a request it has no effect.
func Pauses(ctx context.Context) (resume func()) { return requestFrom(ctx).place.pause(ctx) }

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

// hurry sets the deadline of a short body.
func (r *request) hurry() {
	if !r.received {
		r.hurried = true
		_ = r.connect.SetReadDeadline(time.Now().Add(r.timeouts.Header))
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
	ctx     context.Context // of the request
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
	// The client may take its time. Also, net/http reads a body that the handler has left unread before it
	// sends an answer.
	defer r.request.place.pause(r.ctx)()
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements http.Flusher, for handlers that stream.
func (r *recorder) Flush() {
	r.wrote = true
	r.request.beginWrite()
	defer r.request.place.pause(r.ctx)()
	if err := http.NewResponseController(r.ResponseWriter).Flush(); errors.Is(err, http.ErrNotSupported) {
		return
	}
}
