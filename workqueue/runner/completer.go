package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"

	"github.com/rs/zerolog"
)

const (
	// finishBatch bounds the results that one statement writes.
	finishBatch = 500

	// firstPause and longestPause bound the wait after a write that failed.
	firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second
)

// completer writes the results of runs. Results that arrive while one batch is being written
// go into the next one; writePace limits how many. Results that cannot be written are kept and
// retried: a result is dropped only if the database says that its lease is lost, and changed
// only by [completion.refuse].
type completer struct {
	store   workqueue.LeaseStore
	worker  workqueue.Worker
	held    *held
	timeout time.Duration // of one statement: the database may hang
	log     zerolog.Logger

	wake chan struct{} // holds one token when there is something to write

	mu      sync.Mutex
	fresh   []*completion // not tried yet; written together
	refused []*completion // were in a write that failed; written one by one
	writing []*completion
	failing bool   // the last write failed
	taken   uint64 // how many writes of this worker the database accepted
	closed  bool   // nothing is written any more
	pace    writePace
	room    *sync.Cond // on mu: there may be room for more
}

func newCompleter(store workqueue.LeaseStore, worker workqueue.Worker, h *held, timeout time.Duration, log zerolog.Logger) *completer {
	c := &completer{store: store, worker: worker, held: h, timeout: timeout, log: log, wake: make(chan struct{}, 1)}
	c.room = sync.NewCond(&c.mu)
	return c
}

// awaitRoom waits while the unwritten results fill a whole write. A slot that calls it before
// its next item leaves no more results unwritten than promised. It does not wait while the
// database fails.
func (c *completer) awaitRoom() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.fresh) >= c.pace.most() && !c.failing && !c.closed {
		c.room.Wait()
	}
}

// add hands over the result of a run; it never blocks. over is called once: with true when
// the result is in the database or has lost its lease, with false if the completer has ended
// before.
func (c *completer) add(f workqueue.Finish, over func(settled bool)) {
	if !c.offer(f, over) {
		over(false)
	}
}

// offer is add, but returns false if the completer has ended; it does not call over then.
func (c *completer) offer(f workqueue.Finish, over func(settled bool)) bool {
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.fresh = append(c.fresh, &completion{finish: f, over: over})
	}
	c.mu.Unlock()
	if closed {
		return false
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return true
}

// alive records that the database has accepted another write of this worker: what it refuses
// meanwhile is refused because of its content.
func (c *completer) alive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken++
}

// run writes until ctx ends; items whose results are not written by then are rescued later.
// After a failure it waits, so that an unreachable database is not flooded.
func (c *completer) run(ctx context.Context) {
	defer c.close()
	pause, healthy := firstPause, true
	for ctx.Err() == nil {
		batch, again, due := c.take(time.Now(), healthy)
		if len(batch) == 0 {
			c.sleep(ctx, c.wake, due)
			continue
		}
		was := healthy
		err := c.write(ctx, batch)
		if err == nil {
			pause, healthy = firstPause, true
			continue
		}
		if errors.Is(err, workqueue.ErrDatabaseLost) {
			return // for good
		}
		healthy = false
		switch {
		case again && was:
			// This one waits by itself; the next may be written.
			continue
		case again:
			c.sleep(ctx, c.wake, pause)
		default:
			c.sleep(ctx, nil, pause)
		}
		pause = min(2*pause, longestPause)
	}
}

// sleep waits for a token, for the time (0: without end), or for ctx.
func (c *completer) sleep(ctx context.Context, wake <-chan struct{}, d time.Duration) {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-wake:
	case <-over:
	}
}

// take picks what to write now: one refused result whose retry is due, or all new ones
// together. After a failure the new ones come first, so that a result that the database never
// accepts does not block others. If there is nothing to write, it returns how long to wait
// (0: until something is added).
func (c *completer) take(now time.Time, healthy bool) (batch []*completion, again bool, due time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if healthy || len(c.fresh) == 0 {
		for i, done := range c.refused {
			wait := done.retryAt.Sub(now)
			if wait <= 0 {
				c.refused = append(c.refused[:i], c.refused[i+1:]...)
				c.writing = []*completion{done}
				return c.writing, true, 0
			}
			if due == 0 || wait < due {
				due = wait
			}
		}
	}
	n := len(c.fresh)
	if n > 0 {
		n = min(n, c.pace.next())
	}
	c.writing, c.fresh = c.fresh[:n:n], c.fresh[n:]
	c.room.Broadcast()
	return c.writing, false, due
}

func (c *completer) write(ctx context.Context, batch []*completion) error {
	finishes := make([]workqueue.Finish, len(batch))
	for i, done := range batch {
		finishes[i] = done.finish
	}
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	started := time.Now()
	c.log.Debug().Int("results", len(batch)).Str("at", started.UTC().Format(time.RFC3339Nano)).Msg("writing results")
	lost, err := c.store.Finish(bounded, c.worker.ID, c.worker.InstanceID, finishes)
	took := time.Since(started)
	if c.note(batch, err, took); err != nil {
		return err
	}
	c.log.Debug().Int("results", len(batch)).Int64("took_us", took.Microseconds()).Msg("results written")
	for _, id := range lost {
		c.log.Warn().Int64("item_id", id).Msg("result refused: the lease was lost, or the result was already saved")
	}
	for _, done := range batch {
		c.held.remove(workqueue.ItemRef{ItemID: done.finish.ItemID, Fence: done.finish.Fence})
		done.over(true)
	}
	return nil
}

// note keeps a batch that could not be written.
func (c *completer) note(batch []*completion, err error, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.room.Broadcast()
	c.writing = nil
	if err == nil {
		c.failing = false
		c.pace.note(len(batch), took)
		c.taken++
		return
	}
	if !c.failing {
		c.log.Error().Err(err).Int("results", len(batch)).Msg("could not save results; keeping them and retrying")
	}
	c.failing = true
	for _, done := range batch {
		if len(batch) == 1 && done.refuse(err, c.taken, time.Now()) {
			c.log.Error().Err(err).Int64("item_id", done.finish.ItemID).
				Msg("the database does not accept this result; the item is cancelled without it")
		}
		c.refused = append(c.refused, done)
	}
}

// unwritten returns the ids of the items whose results are not in the database yet, in
// ascending order.
func (c *completer) unwritten() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []int64
	for _, list := range [][]*completion{c.writing, c.refused, c.fresh} {
		for _, done := range list {
			ids = append(ids, done.finish.ItemID)
		}
	}
	slices.Sort(ids)
	return ids
}

// close ends all waits for results that will not be written.
func (c *completer) close() {
	c.mu.Lock()
	left := append(c.refused, c.fresh...)
	c.refused, c.fresh, c.closed = nil, nil, true
	c.room.Broadcast()
	c.mu.Unlock()
	for _, done := range left {
		done.over(false)
	}
}
