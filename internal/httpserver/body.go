package httpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// ErrBodyMemory is returned by the body of a request if the bodies of requests fill the memory that they may
// use. The client may try again.
var ErrBodyMemory = errors.New("the bodies of other requests fill the memory for them")

// LongBody lets the request have a body of up to this many bytes instead of Limits.Body. It must be
// called before the body is read; the caller must bound what it keeps of it.
func LongBody(ctx context.Context, bytes int64) {
	r := requestFrom(ctx)
	r.longest, r.streams = bytes, true
}

// formSize is how much of a body must arrive within the time of Timeouts.Header, if the lane asks for that. A
// longer body has the time of Timeouts.Read.
const formSize = 64 << 10

// boundedBody is the body of a request. Its bound is fixed when it is first read.
type boundedBody struct {
	io.ReadCloser
	w       http.ResponseWriter
	of      *http.Request
	request *request
	limited io.ReadCloser
	size    int64 // that was read
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.limited == nil {
		if b.of.ContentLength > b.request.longest {
			return 0, &http.MaxBytesError{Limit: b.request.longest}
		}
		b.limited = http.MaxBytesReader(b.w, b.ReadCloser, b.request.longest)
	}
	// The client may take its time: meanwhile, other requests are processed.
	resume := b.request.place.pause(b.of.Context())
	n, err := b.limited.Read(p)
	resume()
	b.size += int64(n)
	b.request.received = b.request.received || errors.Is(err, io.EOF)
	if b.request.hurried && (b.request.received || b.size > formSize) {
		b.request.hurried = false
		_ = b.request.connect.SetReadDeadline(b.request.readUntil)
	}
	if !b.request.streams && !b.request.place.keep(int64(n)) {
		return 0, ErrBodyMemory
	}
	return n, err
}
