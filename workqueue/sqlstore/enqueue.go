package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// enqueueBatch bounds one insert, so that no statement and no lock grows
// without limit.
const enqueueBatch = 1000

// enqueueTries bounds how often an insert is repeated because a queue's policy has changed
// meanwhile, or another item got one of the keys.
const enqueueTries = 50

// errPolicyChanged says that a queue's policy is not the one that the items
// were made by.
var errPolicyChanged = errors.New("the policies of the queues change all the time")

// Enqueue implements workqueue.ItemStore.
func (s *Store) Enqueue(ctx context.Context, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if len(items) == 0 {
		return nil, nil
	}
	var err error
	for range enqueueTries {
		var e *enqueue
		if e, err = s.prepare(ctx, items); err != nil {
			return nil, err
		}
		err = s.retry(ctx, "enqueue", func() error { return e.insert(ctx) })
		switch {
		case err == nil:
			s.readyRows(e.rows)
			for _, made := range e.results {
				s.history.sawItem(made.ID)
			}
			return e.results, nil
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
		case classify(err) != uniqueError:
			return nil, err
		}
		// Another item just got a key: the next try finds it.
	}
	return nil, err
}

// enqueue is one try to insert items.
type enqueue struct {
	s       *Store
	rows    []newItemRow
	queues  []policyRow
	results []workqueue.Enqueued

	// places are the indexes of the rows among the items that were given.
	places []int

	// later are the items that have a key of an earlier one: they are that one.
	later map[int]int
}

// policyRow is a queue's revision inside a JSON parameter.
type policyRow struct {
	Queue    string
	Revision int64
}

// prepare makes rows of items by the policies of their queues, but of those
// whose key is taken already.
func (s *Store) prepare(ctx context.Context, items []workqueue.NewItem) (*enqueue, error) {
	e := &enqueue{s: s, results: make([]workqueue.Enqueued, len(items)), later: map[int]int{}}
	e.rows, e.places = make([]newItemRow, 0, len(items)), make([]int, 0, len(items))
	first := map[keyRow]int{}
	var q workqueue.Queue // of the item before
	for i, it := range items {
		if it.QueueName == "" {
			it.QueueName = workqueue.DefaultQueue
		}
		if it.QueueName != q.Name {
			var err error
			if q, err = s.queue(ctx, it.QueueName); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
			if p := (policyRow{q.Name, q.Revision}); !slices.Contains(e.queues, p) {
				e.queues = append(e.queues, p)
			}
		}
		err := q.Prepare(&it, &s.schemas)
		if err == nil {
			e.rows = append(e.rows, newItemRow{})
			err = e.rows[len(e.rows)-1].fill(s, &it, &q)
		}
		if err != nil {
			return nil, &workqueue.BadItemError{Index: i, Of: len(items), Err: err}
		}
		row := &e.rows[len(e.rows)-1]
		if twin, ok := row.twin(first); ok {
			e.later[i] = twin
			e.rows = e.rows[:len(e.rows)-1]
			continue
		}
		for _, key := range row.keys() {
			first[key] = i
		}
		e.places = append(e.places, i)
	}
	if len(first) == 0 {
		return e, nil
	}
	return e, s.retry(ctx, "enqueue: look for keys", func() error { return e.skipTaken(ctx) })
}

// twin finds the earlier item that has one of the row's keys.
func (r *newItemRow) twin(first map[keyRow]int) (int, bool) {
	for _, key := range r.keys() {
		if i, ok := first[key]; ok {
			return i, true
		}
	}
	return 0, false
}

// skipTaken takes the rows out whose key another item has.
func (e *enqueue) skipTaken(ctx context.Context) error {
	holders, err := e.holders(ctx, e.s.db)
	if err != nil || len(holders) == 0 {
		return err
	}
	rows, places := e.rows, e.places
	e.rows, e.places = nil, nil
	for i := range rows {
		if id := rows[i].holder(holders); id != 0 {
			e.results[places[i]] = workqueue.Enqueued{ID: id, Existing: true}
			continue
		}
		e.rows, e.places = append(e.rows, rows[i]), append(e.places, places[i])
	}
	return nil
}

// insert writes the rows.
func (e *enqueue) insert(ctx context.Context) error {
	if len(e.rows) > 0 {
		write := func(on runner) error { return e.write(ctx, on) }
		if len(e.rows) <= enqueueBatch && !e.needsMore() {
			if err := e.s.engine.alone(ctx, e.s, write); err != nil {
				return err
			}
		} else if err := e.s.tx(ctx, func(tx *sql.Tx) error { return write(tx) }); err != nil {
			return err
		}
	}
	e.nameTwins()
	return nil
}

// insertIn writes the rows inside a transaction.
func (e *enqueue) insertIn(ctx context.Context, tx *sql.Tx) error {
	if len(e.rows) > 0 {
		if err := e.write(ctx, tx); err != nil {
			return err
		}
	}
	e.nameTwins()
	return nil
}

// nameTwins says of items that have a key of an earlier one which that is.
func (e *enqueue) nameTwins() {
	for i, twin := range e.later {
		e.results[i] = workqueue.Enqueued{ID: e.results[twin].ID, Existing: true}
	}
}

// needsMore reports whether the insert alone is not enough.
func (e *enqueue) needsMore() bool {
	for i := range e.rows {
		if e.rows[i].sealed() || e.rows[i].keyed() {
			return true
		}
	}
	return false
}
