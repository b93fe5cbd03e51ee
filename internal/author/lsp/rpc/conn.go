package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
)

// maxParallel is the maximum number of requests that are processed at the same time.
const maxParallel = 16

// Work processes a request. It can run concurrently with other work and later messages.
// ctx ends when the client cancels the request or the connection ends.
type Work func(ctx context.Context) (any, error)

// Handler handles messages. Request and Notify are called one after the other, in the
// order of the messages.
type Handler interface {
	// Request reads the state for the request and returns the work. An error is the
	// answer; an error that is not an *Error counts as internal.
	Request(method string, params json.RawMessage) (Work, error)

	// Notify handles a notification. It returns true for the last one.
	Notify(method string, params json.RawMessage) (last bool)

	// LogError logs an error that cannot be sent to the client: a panic with its
	// stack, or a message that cannot be written.
	LogError(text string)
}

// Conn is a connection with a client.
type Conn struct {
	handler Handler
	out     writer
	limit   chan struct{}
	lastID  atomic.Int64

	mu   sync.Mutex
	open map[string]context.CancelFunc // requests in progress by id
}

// NewConn returns a connection that writes to out. Serve reads messages.
func NewConn(out io.Writer, handler Handler) *Conn {
	return &Conn{
		handler: handler, out: writer{out: out}, limit: make(chan struct{}, maxParallel),
		open: map[string]context.CancelFunc{},
	}
}

// Serve handles the messages of in until the last notification, or until in or ctx ends.
// Then it waits for the work in progress. The error is nil after the last notification,
// and io.EOF if the client disconnected before.
//
// A read cannot be interrupted: if ctx ends, the goroutine that reads in remains until in
// ends.
func (c *Conn) Serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	frames := c.read(ctx, in)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-frames:
			if broken, ok := errors.AsType[*frameError](f.err); ok {
				c.sendError(null, Errorf(ParseError, "%s", broken.message))
				continue
			}
			if errors.Is(f.err, io.ErrUnexpectedEOF) {
				return io.EOF
			}
			if f.err != nil {
				return f.err
			}
			if c.dispatch(ctx, f.body, &working) {
				return nil
			}
		}
	}
}

type frame struct {
	body []byte
	err  error
}

// read reads frames in another goroutine, which ends after the last one.
func (c *Conn) read(ctx context.Context, in io.Reader) <-chan frame {
	frames, r := make(chan frame), newReader(in)
	go func() {
		for {
			body, err := r.next()
			select {
			case frames <- frame{body, err}:
			case <-ctx.Done():
				return
			}
			if _, ok := errors.AsType[*frameError](err); err != nil && !ok {
				return
			}
		}
	}()
	return frames
}

// dispatch handles one message and reports whether it was the last one.
func (c *Conn) dispatch(ctx context.Context, body []byte, working *sync.WaitGroup) (last bool) {
	m, wrong := decode(body)
	switch {
	case wrong != nil:
		if m.ID == nil {
			m.ID = null
		}
		c.sendError(m.ID, wrong)
	case m.Method == "":
		// An answer to a request of the server. It ignores all answers.
	case m.Method == "$/cancelRequest":
		c.cancel(m.Params)
	case m.ID == nil:
		err := c.guard(m.Method, func() error {
			last = c.handler.Notify(m.Method, m.Params)
			return nil
		})
		if err != nil {
			last = false
		}
	default:
		c.start(ctx, m, working)
	}
	return last
}

func (c *Conn) start(ctx context.Context, m message, working *sync.WaitGroup) {
	var work Work
	err := c.guard(m.Method, func() (err error) {
		work, err = c.handler.Request(m.Method, m.Params)
		return err
	})
	if err != nil {
		c.answer(m.ID, nil, err)
		return
	}
	id := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	if c.open[id] != nil {
		c.mu.Unlock()
		cancel()
		c.sendError(m.ID, Errorf(InvalidRequest, "another request with the id %s is in progress", id))
		return
	}
	c.open[id] = cancel
	c.mu.Unlock()
	working.Go(func() {
		defer cancel()
		var result any
		var err error
		select {
		case c.limit <- struct{}{}:
			if ctx.Err() == nil {
				err = c.guard(m.Method, func() (err error) {
					result, err = work(ctx)
					return err
				})
			}
			<-c.limit
		case <-ctx.Done():
		}
		c.mu.Lock()
		delete(c.open, id)
		c.mu.Unlock()
		if ctx.Err() != nil {
			err = Errorf(RequestCancelled, "the request was cancelled")
		}
		c.answer(m.ID, result, err)
	})
}

// cancel cancels a request. It ignores requests that are already answered.
func (c *Conn) cancel(raw json.RawMessage) {
	params, err := Params[struct {
		ID json.RawMessage `json:"id"`
	}](raw)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[string(params.ID)]; cancel != nil {
		cancel()
	}
}

// guard converts a panic to an error, so that a bug in one request does not end the
// server.
func (c *Conn) guard(method string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.handler.LogError(fmt.Sprintf("panic in %s: %v\n%s", method, r, debug.Stack()))
			err = Errorf(InternalError, "%s: internal error: %v", method, r)
		}
	}()
	return do()
}

func (c *Conn) answer(id json.RawMessage, result any, err error) {
	if err == nil {
		var raw []byte
		if raw, err = json.Marshal(result); err == nil {
			c.send(message{ID: id, Result: raw})
			return
		}
	}
	answer, ok := errors.AsType[*Error](err)
	if !ok {
		answer = Errorf(InternalError, "%s", err)
	}
	c.sendError(id, answer)
}

func (c *Conn) sendError(id json.RawMessage, err *Error) { c.send(message{ID: id, Error: err}) }

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) { c.call(nil, method, params) }

// Request sends a request without waiting for the answer, which is ignored.
func (c *Conn) Request(method string, params any) {
	c.call(json.RawMessage(strconv.Quote("botwork-"+strconv.FormatInt(c.lastID.Add(1), 10))), method, params)
}

func (c *Conn) call(id json.RawMessage, method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil {
		c.handler.LogError(fmt.Sprintf("%s: %v", method, err))
		return
	}
	c.send(message{ID: id, Method: method, Params: raw})
}

// send writes a message. It only logs errors: they mean that the client has
// disconnected, which Serve also notices when it reads.
func (c *Conn) send(m message) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err == nil {
		err = c.out.frame(body)
	}
	if err != nil {
		c.handler.LogError(fmt.Sprintf("write a message: %v", err))
	}
}
