package workqueue

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// finishBatch bounds the results that one statement writes.
const finishBatch = 500

// completer writes the ends of runs. What comes together while one batch is
// being written goes with the next. A batch that cannot be written is kept and
// tried again: a result is dropped only when the database says that its lease
// is lost.
type completer struct {
	store    LeaseStore
	workerID int64
	held     *held
	log      zerolog.Logger

	wake chan struct{} // holds one token when there is something to write

	mu      sync.Mutex
	pending []completion
	failing bool // the last write failed
}

type completion struct {
	finish Finish

	// written is called once, when the end is in the database or refused.
	written func()
}

func newCompleter(store LeaseStore, workerID int64, h *held, log zerolog.Logger) *completer {
	return &completer{store: store, workerID: workerID, held: h, log: log, wake: make(chan struct{}, 1)}
}

// add hands over the end of a run; it never blocks.
func (c *completer) add(f Finish, written func()) {
	c.mu.Lock()
	c.pending = append(c.pending, completion{finish: f, written: written})
	c.mu.Unlock()
	c.notify()
}

func (c *completer) notify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run writes until ctx ends.
func (c *completer) run(ctx context.Context) {
	const first, longest = 100 * time.Millisecond, 5 * time.Second
	wait := first
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		for {
			more, err := c.flush(ctx)
			if err != nil {
				select {
				case <-ctx.Done():
					return
				case <-time.After(wait):
				}
				wait = min(2*wait, longest)
				continue
			}
			wait = first
			if !more {
				break
			}
		}
	}
}

// flush writes one batch. After a failure it writes one result at a time until
// that works, so that a result which the database refuses holds up no other.
func (c *completer) flush(ctx context.Context) (more bool, err error) {
	c.mu.Lock()
	n := min(len(c.pending), finishBatch)
	if c.failing {
		n = min(n, 1)
	}
	batch := c.pending[:n:n]
	c.pending = c.pending[n:]
	c.mu.Unlock()
	if n == 0 {
		return false, nil
	}
	finishes := make([]Finish, n)
	for i, done := range batch {
		finishes[i] = done.finish
	}
	lost, err := c.store.Finish(ctx, c.workerID, finishes)
	c.mu.Lock()
	if err != nil {
		// To the end of the line: the others get their turn.
		c.pending = append(c.pending, batch...)
	}
	first := err != nil && !c.failing
	c.failing = err != nil
	more = len(c.pending) > 0
	c.mu.Unlock()
	if err != nil {
		if first {
			c.log.Error().Err(err).Int("results", n).Msg("results cannot be written; they are kept and tried again")
		}
		return true, err
	}
	for _, id := range lost {
		c.log.Warn().Int64("item_id", id).Msg("result refused: the lease was lost, another worker has the item")
	}
	for _, done := range batch {
		c.held.remove(ItemRef{ItemID: done.finish.ItemID, Fence: done.finish.Fence})
		if done.written != nil {
			done.written()
		}
	}
	return more, nil
}

// unwritten lists the items whose end is not in the database yet.
func (c *completer) unwritten() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]int64, len(c.pending))
	for i, done := range c.pending {
		ids[i] = done.finish.ItemID
	}
	return ids
}
