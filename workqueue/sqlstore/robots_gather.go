package sqlstore

import (
	"context"
	"sync"
	"time"
)

// gathering lets calls that arrive together share a transaction, as the results of a worker do. A
// call that finds no other one runs by itself, at once. Those that arrive while others run collect,
// and the next transaction has all of them.
type gathering[T any] struct {
	// together runs several calls, and marks those that it has settled. It changes nothing for the others,
	// which then run by themselves, so that each gets its own error.
	together func(ctx context.Context, calls []*gathered[T])

	mu      sync.Mutex
	busy    bool
	waiting []*gathered[T]
}

// gathered is a call that has collected.
type gathered[T any] struct {
	call    *T
	ctx     context.Context
	settled bool
	done    chan struct{} // closed when the transaction has ended
}

// mostGathered bounds the calls of one transaction.
const mostGathered = 200

// gatheredTime bounds a transaction of several calls, which does not end with one of them.
const gatheredTime = 30 * time.Second

// do runs a call: with others, or by the function alone.
func (g *gathering[T]) do(ctx context.Context, call *T, alone func() error) error {
	mine := &gathered[T]{call: call, ctx: ctx, done: make(chan struct{})}
	if !g.join(mine) {
		defer g.next()
		return alone()
	}
	select {
	case <-mine.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if mine.settled {
		return nil
	}
	return alone()
}

// join reports whether the call has to wait for its turn.
func (g *gathering[T]) join(c *gathered[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.busy {
		g.busy = true
		return false
	}
	g.waiting = append(g.waiting, c)
	return true
}

// next runs those that have collected, in a goroutine of their own, until there are none.
func (g *gathering[T]) next() {
	calls := g.take()
	if calls == nil {
		return
	}
	go func() {
		for ; calls != nil; calls = g.take() {
			g.run(calls)
		}
	}()
}

// take returns the calls of the next transaction; nil if there are none.
func (g *gathering[T]) take() []*gathered[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), mostGathered)
	calls := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	if n == 0 {
		g.busy, g.waiting = false, nil
		return nil
	}
	return calls
}

func (g *gathering[T]) run(calls []*gathered[T]) {
	// What panics here does so again in the goroutine of its caller, which knows what to do.
	defer func() {
		_ = recover()
		for _, c := range calls {
			close(c.done)
		}
	}()
	going := make([]*gathered[T], 0, len(calls))
	for _, c := range calls {
		if c.ctx.Err() == nil {
			going = append(going, c)
		}
	}
	if len(going) < 2 {
		return // it runs by itself
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(going[0].ctx), gatheredTime)
	defer cancel()
	g.together(ctx, going)
}
