package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"botwork/internal/bench/mixed"
	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// mixedRound is one run of a mixed load. The goroutine that calls the store writes the
// caller's part of each life; the workers' part is read from the ledgers afterwards.
type mixedRound struct {
	o     MixedOptions
	store *sqlstore.Store
	dsn   string
	dir   string    // the directory of the workers' ledgers
	zero  time.Time // the start of the measurement

	lives []mixed.Life
	ids   []int64 // the ids of the items in lives
	up    time.Duration
	over  time.Duration
}

func (m *mixedRound) now() time.Duration { return wallClock().Sub(m.zero) }

// startTime is the time that the workers have to start. Items that wait before the first
// workers execute items do not count as waiting. Four processes on two cores need up to
// this long.
const startTime = 500 * time.Millisecond

// comeEvery is how late an item may be enqueued, so that several items share a call.
const comeEvery = 10 * time.Millisecond

// run sends the load to the workers, waits until all items have ended, and ends the
// workers.
func (m *mixedRound) run(ctx context.Context, items []mixed.Item) (s Sample, err error) {
	m.lives, m.ids = make([]mixed.Life, len(items)), make([]int64, len(items))
	for i, it := range items {
		m.lives[i].Item = it
	}
	crew := &mixedCrew{m: m, died: make(chan error, m.o.Workers)}
	defer func() { err = errors.Join(err, crew.end(s)) }()
	if err := crew.start(ctx); err != nil {
		return nil, err
	}
	early := 0
	for early < len(items) && items[early].At == 0 {
		early++
	}
	if err := m.enqueue(ctx, 0, early); err != nil {
		return nil, err
	}
	if err := crew.begin(); err != nil {
		return nil, err
	}
	m.up = m.now() + startTime
	if err := m.feed(ctx, crew, early); err != nil {
		return nil, err
	}
	m.over = m.now()
	took := m.over - m.up
	return Sample{RoundSeconds: took.Seconds(), ItemsPerSecond: float64(len(items)) / took.Seconds()}, nil
}

// feed enqueues the items, cancels some, and waits until all have ended.
func (m *mixedRound) feed(ctx context.Context, crew *mixedCrew, from int) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var people sync.WaitGroup
	failed := make(chan error, len(m.lives))
	defer func() {
		interrupted := err != nil
		if interrupted {
			cancel()
		}
		people.Wait()
		cancel()
		close(failed)
		for other := range failed {
			if !interrupted {
				err = errors.Join(err, other)
			}
		}
	}()
	watch := func(from, to int) {
		for i := from; i < to; i++ {
			if m.lives[i].Kind == mixed.Cancelled {
				people.Go(func() { failed <- m.cancel(ctx, i) })
			}
		}
	}
	watch(0, from)
	tick := time.NewTicker(comeEvery)
	defer tick.Stop()
	for from < len(m.lives) {
		to := from
		for to < len(m.lives) && m.up+m.lives[to].At <= m.now() {
			to++
		}
		if err := m.enqueue(ctx, from, to); err != nil {
			return err
		}
		watch(from, to)
		from = to
		select {
		case <-tick.C:
		case err := <-crew.died:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	people.Wait()
	return m.o.awaitEnd(ctx, m.dsn, crew.died)
}

// enqueue creates the items of a range in one call.
func (m *mixedRound) enqueue(ctx context.Context, from, to int) error {
	if from == to {
		return nil
	}
	batch := make([]workqueue.NewItem, 0, to-from)
	for i := from; i < to; i++ {
		batch = append(batch, mixedItem(m.lives[i].Item))
	}
	called := m.now()
	made, err := m.store.Enqueue(ctx, batch)
	if err != nil {
		return err
	}
	returned := m.now()
	for i, e := range made {
		m.lives[from+i].Called, m.lives[from+i].Returned = called, returned
		m.ids[from+i] = e.ID
	}
	m.o.progress(to - from)
	return nil
}

// cancel cancels an item as a user would. An item that has already ended stays as it is.
func (m *mixedRound) cancel(ctx context.Context, i int) error {
	l := &m.lives[i]
	if err := sleepUntil(ctx, m.zero.Add(max(l.Returned, m.up)+l.After)); err != nil {
		return err
	}
	called := m.now()
	_, err := m.store.ChangeItem(ctx, m.ids[i], workqueue.Change{Action: workqueue.Cancel, Reason: "no longer needed"})
	if over := (*workqueue.TransitionError)(nil); errors.As(err, &over) {
		return nil
	}
	if err == nil {
		l.CancelCalled, l.CancelReturned = called, m.now()
	}
	return err
}

// count compares the states of the items in the database with their lives. Each item must
// be Processed and have run successfully once, except for items that were cancelled and
// items whose deadline passed before they started.
func (m *mixedRound) count(ctx context.Context, s Sample) (Count, error) {
	count := Count{Items: len(m.lives)}
	states, err := m.states(ctx)
	if err != nil {
		return count, err
	}
	s[ItemsRan], s[ItemsExpired], s[ItemsCancelled], s[RunsOfHandler] = 0, 0, 0, 0
	for i := range m.lives {
		l := &m.lives[i]
		good := 0
		for _, r := range l.Runs {
			if r.End == mixed.Done {
				good++
			}
		}
		s[RunsOfHandler] += float64(len(l.Runs))
		if good > 1 {
			count.RanTwice++
		}
		switch state := states[m.ids[i]]; {
		case state == workqueue.Processed && good > 0 && l.CancelReturned == 0:
			s[ItemsRan]++
		case state == workqueue.Cancelled && l.CancelReturned > 0:
			s[ItemsCancelled]++
		case state == workqueue.Cancelled && l.Kind == mixed.Expires && len(l.Runs) == 0:
			s[ItemsExpired]++
		default:
			count.Lost++
		}
	}
	return count, nil
}

func (m *mixedRound) states(ctx context.Context) (map[int64]workqueue.State, error) {
	db, err := database.Open(m.o.Driver, m.dsn)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT "Id", "State" FROM "BotWorkQueueItems"`)
	if err != nil {
		return nil, database.Redact(err, m.dsn)
	}
	defer rows.Close()
	states := map[int64]workqueue.State{}
	for rows.Next() {
		var id int64
		var state workqueue.State
		if err := rows.Scan(&id, &state); err != nil {
			return nil, err
		}
		states[id] = state
	}
	return states, rows.Err()
}

func (m *mixedRound) ledgerOf(worker int) string { return filepath.Join(m.dir, fmt.Sprint(worker)) }
