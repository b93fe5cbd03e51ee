// Package rpc implements JSON-RPC 2.0 in frames with a Content-Length, as language
// servers use it. It handles the order of messages, cancellation and panics, but not the
// content of messages.
package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxFrame is the maximum size of a message in bytes. A larger size is certainly wrong,
// and could exhaust the memory.
const maxFrame = 64 << 20

// maxHeader is the maximum length of a header line in bytes.
const maxHeader = 4096

// frameError is an invalid frame after which the next one can be read.
type frameError struct{ message string }

func (e *frameError) Error() string { return e.message }

// reader reads the bodies of frames from a stream.
type reader struct{ in *bufio.Reader }

func newReader(in io.Reader) *reader { return &reader{bufio.NewReaderSize(in, maxHeader)} }

// next returns the body of the next frame. After a *frameError, the caller can read the
// next frame: lines that are not headers are skipped. Any other error is the end of the
// stream, io.EOF a regular one.
func (r *reader) next() ([]byte, error) {
	length, wrong := -1, ""
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			wrong = fmt.Sprintf("got a header of more than %d bytes", maxHeader)
			if err := r.skipLine(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length >= 0 || wrong != "" {
				break
			}
			continue // blank lines between frames are harmless
		}
		name, value, ok := strings.Cut(text, ":")
		switch {
		case !ok:
			wrong = fmt.Sprintf("got %.40q, want a header such as Content-Length: 2", text)
		case strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 {
				wrong = fmt.Sprintf("got the Content-Length %.40q, want a number of bytes", value)
				continue
			}
			length, wrong = n, ""
		}
	}
	switch {
	case length < 0:
		return nil, &frameError{wrong}
	case length > maxFrame:
		if _, err := io.CopyN(io.Discard, r.in, int64(length)); err != nil {
			return nil, err
		}
		return nil, &frameError{fmt.Sprintf("got a message of %d bytes, want at most %d", length, maxFrame)}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r.in, body); err != nil {
		return nil, err
	}
	return body, nil
}

func (r *reader) skipLine() error {
	for {
		_, err := r.in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// writer writes frames, one at a time.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *writer) frame(body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	// In one call, so that a reader that polls never sees a partial header.
	frame := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	_, err := w.out.Write(frame)
	return err
}
