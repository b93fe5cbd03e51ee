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
// retried. A result is dropped only if the database reports that its lease is lost, and
// changed only by [completion.refuse].
type completer struct {
	store   workqueue.LeaseStore
	worker  workqueue.Worker
	held    *held
	timeout time.Duration // of one statement: the database may hang
	log     zerolog.Logger
	observe func(results int) // called after each write

	wake chan struct{} // holds one token when there is something to write

	mu       sync.Mutex
	fresh    []*completion // not tried yet; written together
	refused  []*completion // from writes that failed; written one by one
	locked   []*completion // passed over, since another session holds their rows
	lockedAt time.Time     // when those are next tried, together with the others
	writing  []*completion
	failing  bool   // the last write failed
	accepted uint64 // how many writes of this worker the database accepted
	closed   bool   // no more results are written
	pace     writePace
	room     *sync.Cond // on mu: there may be room for more results
}

func newCompleter(store workqueue.LeaseStore, worker workqueue.Worker, h *held, timeout time.Duration, log zerolog.Logger) *completer {
	c := &completer{store: store, worker: worker, held: h, timeout: timeout, log: log, observe: func(int) {}, wake: make(chan struct{}, 1)}
	c.room = sync.NewCond(&c.mu)
	return c
}

// awaitRoom waits while the unwritten results fill a whole write. Slots call it before their
// next item, so that the number of unwritten results stays within its limit. It does not wait
// while the database fails.
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
func (c *completer) add(f workqueue.Finish, onSettled func(settled bool)) {
	if !c.tryAdd(f, onSettled) {
		onSettled(false)
	}
}

// tryAdd is add, but returns false if the completer has ended; it does not call over then.
func (c *completer) tryAdd(f workqueue.Finish, onSettled func(settled bool)) bool {
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.fresh = append(c.fresh, &completion{finish: f, onSettled: onSettled})
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

// alive records that the database accepted another write of this worker. A result that it
// refuses at the same time is refused because of its content.
func (c *completer) alive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accepted++
}

// run writes until ctx ends; items whose results are not written by then are rescued later.
// After a failure it waits, so that an unreachable database is not flooded.
func (c *completer) run(ctx context.Context) {
	defer c.close()
	pause, healthy := firstPause, true
	for ctx.Err() == nil {
		batch, again, due := c.nextBatch(time.Now(), healthy)
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
			// Only this result waits for its retry; the others may be written now.
			continue
		case again:
			c.sleep(ctx, c.wake, pause)
		default:
			c.sleep(ctx, nil, pause)
		}
		pause = min(2*pause, longestPause)
	}
}

// sleep waits for a token, for the duration (0: no limit), or for the end of ctx.
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

// nextBatch returns what to write now: one refused result whose retry is due, or all new
// results together. After a failure the new ones come first, so that a result that the
// database never accepts does not block others. If there is nothing to write, it returns how
// long to wait (0: until a result is added).
func (c *completer) nextBatch(now time.Time, healthy bool) (batch []*completion, again bool, due time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.locked) > 0 {
		if wait := c.lockedAt.Sub(now); wait <= 0 {
			c.fresh, c.locked = append(c.locked, c.fresh...), nil
		} else {
			due = wait
		}
	}
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
	if locked, ok := errors.AsType[*workqueue.LockedError](err); ok {
		batch, err, took = c.keepLocked(batch, locked), nil, 0
	}
	if c.recordWrite(batch, err, took); err != nil {
		return err
	}
	c.observe(len(batch))
	c.log.Debug().Int("results", len(batch)).Int64("took_us", took.Microseconds()).Msg("results written")
	for _, id := range lost {
		c.log.Warn().Int64("item_id", id).Msg("result refused: the lease was lost, or the result was already saved")
	}
	for _, done := range batch {
		c.held.remove(workqueue.ItemRef{ItemID: done.finish.ItemID, Fence: done.finish.Fence})
		done.onSettled(true)
	}
	return nil
}

// lockedPause is how long results whose rows another session holds wait for another try.
const lockedPause = time.Second

// keepLocked keeps the results that were passed over, and returns the others.
func (c *completer) keepLocked(batch []*completion, locked *workqueue.LockedError) (written []*completion) {
	passed := make(map[int64]bool, len(locked.Items))
	for _, id := range locked.Items {
		passed[id] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, done := range batch {
		id := done.finish.ItemID
		if !passed[id] {
			written = append(written, done)
			continue
		}
		if !done.locked {
			c.log.Warn().Int64("item_id", id).Msg("could not save a result: another session of the database holds the item's row; keeping it and retrying")
		}
		done.locked = true
		c.locked = append(c.locked, done)
	}
	c.lockedAt = time.Now().Add(lockedPause)
	return written
}

// recordWrite records the result of a write. A batch that could not be written is kept. took is 0 if
// the write has waited for rows that another session holds: that says nothing about the database.
func (c *completer) recordWrite(batch []*completion, err error, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.room.Broadcast()
	c.writing = nil
	if err == nil {
		c.failing = false
		if took > 0 {
			c.pace.record(len(batch), took)
		}
		c.accepted++
		return
	}
	if !c.failing {
		c.log.Error().Err(err).Int("results", len(batch)).Msg("could not save results; keeping them and retrying")
	}
	c.failing = true
	for _, done := range batch {
		if len(batch) == 1 && done.refuse(err, c.accepted, time.Now()) {
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
	for _, list := range [][]*completion{c.writing, c.refused, c.locked, c.fresh} {
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
	left := slices.Concat(c.refused, c.locked, c.fresh)
	c.refused, c.locked, c.fresh, c.closed = nil, nil, nil, true
	c.room.Broadcast()
	c.mu.Unlock()
	for _, done := range left {
		done.onSettled(false)
	}
}
