package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/internal/database"
)

// latencyItems are those that come one by one to measure the engine's latency.
func (o LimitOptions) latencyItems() int { return int(float64(o.Rate) * o.For.Seconds()) }

// latency lets items come one by one to an empty table, at the rate; each call that
// has returned wakes a session, which claims what is there and finishes it. The times
// are those until the claim has returned.
func (o LimitOptions) latency(ctx context.Context, q rawQueue, items int, s Sample) (Count, error) {
	if err := q.empty(ctx); err != nil {
		return Count{}, err
	}
	session, err := q.session(ctx)
	if err != nil {
		return Count{}, err
	}
	defer session.close() //nolint:errcheck // what it wrote is verified
	// Two connections that write to SQLite at once wait by sleeping, for
	// milliseconds: who shares a file takes turns.
	var turn sync.Mutex
	if o.Driver == database.SQLite {
		q, session = turnsQueue{q, &turn}, turnsSession{session, &turn}
	}
	came, over := make(chan struct{}, 1), make(chan error, 1)
	begun := &clocked{at: map[int64]time.Time{}, came: make(chan struct{}, 1)}
	go func() { over <- o.serveRaw(ctx, session, came, begun) }()
	calls, err := o.comeRaw(ctx, q, items, came)
	close(came)
	if err = errors.Join(err, <-over); err != nil {
		return Count{}, err
	}
	done, err := q.processed(ctx)
	s.latencies(calls, begun)
	return Count{Items: items, Lost: items - done, RanTwice: begun.twice()}, err
}

// comeRaw enqueues at the rate. Ids of an emptied table begin at 1.
func (o LimitOptions) comeRaw(ctx context.Context, q rawQueue, items int, came chan<- struct{}) ([]call, error) {
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
		case came <- struct{}{}:
		default: // it is awake
		}
		o.told(1)
	}
	return calls, nil
}

// serveRaw claims and finishes whenever it is woken, until it is no longer woken and nothing is
// left.
func (o LimitOptions) serveRaw(ctx context.Context, session rawSession, came <-chan struct{}, begun *clocked) error {
	for more := true; more; {
		_, more = <-came
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

// turnsQueue and turnsSession let one of them write at a time.
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
