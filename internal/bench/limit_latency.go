package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/internal/database"
)

// latencyItems is the number of items that are enqueued one by one to measure the
// engine's latency.
func (o LimitOptions) latencyItems() int { return int(float64(o.Rate) * o.For.Seconds()) }

// latency enqueues items one by one into an empty table at the rate. Each call that
// returns wakes a session, which claims and finishes the available items. The measured
// time ends when the claim has returned.
func (o LimitOptions) latency(ctx context.Context, q rawQueue, items int, s Sample) (Count, error) {
	if err := q.empty(ctx); err != nil {
		return Count{}, err
	}
	session, err := q.session(ctx)
	if err != nil {
		return Count{}, err
	}
	defer session.close() //nolint:errcheck // what it wrote is verified
	// Two connections that write to SQLite at the same time wait by sleeping for
	// milliseconds. A mutex avoids this.
	var turn sync.Mutex
	if o.Driver == database.SQLite {
		q, session = turnsQueue{q, &turn}, turnsSession{session, &turn}
	}
	arrived, over := make(chan struct{}, 1), make(chan error, 1)
	begun := &clocked{at: map[int64]time.Time{}, arrived: make(chan struct{}, 1)}
	go func() { over <- o.serveRaw(ctx, session, arrived, begun) }()
	calls, err := o.enqueueRaw(ctx, q, items, arrived)
	close(arrived)
	if err = errors.Join(err, <-over); err != nil {
		return Count{}, err
	}
	done, err := q.processed(ctx)
	s.latencies(calls, begun)
	return Count{Items: items, Lost: items - done, RanTwice: begun.twice()}, err
}

// enqueueRaw enqueues items at the rate. The first id in an empty table is 1.
func (o LimitOptions) enqueueRaw(ctx context.Context, q rawQueue, items int, arrived chan<- struct{}) ([]call, error) {
	calls := make([]call, 0, items)
	begin := time.Now()
	for i := range items {
		if err := sleepUntil(ctx, begin.Add(time.Duration(i)*time.Second/time.Duration(o.Rate))); err != nil {
			return nil, err
		}
		started := time.Now()
		if err := q.one(ctx); err != nil {
			return nil, err
		}
		calls = append(calls, call{int64(i) + 1, started, time.Now()})
		select {
		case arrived <- struct{}{}:
		default: // the session is awake already
		}
		o.progress(1)
	}
	return calls, nil
}

// serveRaw claims and finishes items each time it is woken, until arrived is closed and
// no item is left.
func (o LimitOptions) serveRaw(ctx context.Context, session rawSession, arrived <-chan struct{}, begun *clocked) error {
	for more := true; more; {
		_, more = <-arrived
		for {
			batch, err := session.claim(ctx, o.Batch)
			if err != nil {
				return err
			}
			if len(batch) == 0 {
				break
			}
			now := time.Now()
			for _, it := range batch {
				begun.at[it.id] = now
				begun.note(it.id)
			}
			if err := session.finish(ctx, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnsQueue and turnsSession make sure that only one of them writes at a time.
type turnsQueue struct {
	rawQueue
	turn *sync.Mutex
}

func (t turnsQueue) one(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	return t.rawQueue.one(ctx)
}

type turnsSession struct {
	rawSession
	turn *sync.Mutex
}

func (t turnsSession) claim(ctx context.Context, most int) ([]rawItem, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	return t.rawSession.claim(ctx, most)
}

func (t turnsSession) finish(ctx context.Context, batch []rawItem) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	return t.rawSession.finish(ctx, batch)
}
