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

// maxParallel bounds the requests that are worked on at the same time; further
// ones wait.
const maxParallel = 16

// Work does what a request asks. It may run beside other work and later messages;
// ctx ends when the client cancels the request or the connection ends.
type Work func(ctx context.Context) (any, error)

// Handler is what messages mean. Its methods are called one after the other, in
// the order of the messages.
type Handler interface {
	// Request looks at the state that the request is about and returns the
	// work. Its error is the answer; one that is no *Error is internal.
	Request(method string, params json.RawMessage) (Work, error)

	// Notify takes a notification. It returns true for the last one.
	Notify(method string, params json.RawMessage) (last bool)

	// Trouble is told of what no client can be: a panic with its stack, a
	// message that nobody can answer.
	Trouble(text string)
}

// Conn is a connection with a client.
type Conn struct {
	handler Handler
	out     writer
	limit   chan struct{}
	lastID  atomic.Int64

	mu   sync.Mutex
	open map[string]context.CancelFunc // requests without an answer, by id
}

// NewConn returns a connection that writes to out. Serve reads.
func NewConn(out io.Writer, handler Handler) *Conn {
	return &Conn{
		handler: handler, out: writer{out: out}, limit: make(chan struct{}, maxParallel),
		open: map[string]context.CancelFunc{},
	}
}

// Serve handles the messages of in until the last notification, the end of in or
// of ctx, and waits for the work that goes on. Its error is nil after the last
// notification, and io.EOF when the client went away without it.
//
// A read cannot be interrupted: when ctx ends, the goroutine that reads in stays
// until in ends.
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
				c.refuse(null, Errorf(ParseError, "%s", broken.message))
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

// read reads frames in a goroutine of its own, which ends behind the last.
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

// dispatch handles one message and tells whether it was the last.
func (c *Conn) dispatch(ctx context.Context, body []byte, working *sync.WaitGroup) (last bool) {
	m, wrong := decode(body)
	switch {
	case wrong != nil:
		if m.ID == nil {
			m.ID = null
		}
		c.refuse(m.ID, wrong)
	case m.Method == "":
		// An answer to one of ours: none of them needs it.
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
		c.refuse(m.ID, Errorf(InvalidRequest, "a request with the id %s has no answer yet", id))
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

// cancel ends the work on a request. One that is answered already is none.
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

// guard turns a panic into an error: one wrong answer must not end the server,
// with which all others would go.
func (c *Conn) guard(method string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.handler.Trouble(fmt.Sprintf("panic in %s: %v\n%s", method, r, debug.Stack()))
			err = Errorf(InternalError, "%s: the server made a mistake: %v", method, r)
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
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		refused = Errorf(InternalError, "%s", err)
	}
	c.refuse(id, refused)
}

func (c *Conn) refuse(id json.RawMessage, err *Error) { c.send(message{ID: id, Error: err}) }

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) { c.call(nil, method, params) }

// Request sends a request and waits for no answer: the client's word about it
// changes nothing here.
func (c *Conn) Request(method string, params any) {
	c.call(json.RawMessage(strconv.Quote("botwork-"+strconv.FormatInt(c.lastID.Add(1), 10))), method, params)
}

func (c *Conn) call(id json.RawMessage, method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil {
		c.handler.Trouble(fmt.Sprintf("%s: %v", method, err))
		return
	}
	c.send(message{ID: id, Method: method, Params: raw})
}

// send writes a message. An error means that the client is gone, which the
// reading side learns as well.
func (c *Conn) send(m message) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err == nil {
		err = c.out.frame(body)
	}
	if err != nil {
		c.handler.Trouble(fmt.Sprintf("write a message: %v", err))
	}
}
