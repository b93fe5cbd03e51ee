package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

var _ workqueue.BatchStore = (*enqueuing)(nil)

// enqueuing makes new items under the policies of their queues.
type enqueuing struct {
	*connection
	*policies
	*notices
	*batches
	*itemRows
	*bookkeeping

	// itemBatch returns how an item runs together with others; nil if that is unknown here.
	itemBatch atomic.Pointer[func(it *workqueue.NewItem) *workqueue.ItemBatch]
}

// SetBatches makes the store decide how each new item without a batch runs together with others.
// of returns nil for one that runs alone. It is called from several goroutines.
func (s *enqueuing) SetBatches(of func(it *workqueue.NewItem) *workqueue.ItemBatch) {
	s.itemBatch.Store(&of)
}

// enqueueBatch limits the rows of one insert.
const enqueueBatch = 1000

// enqueueTries limits how often an insert is repeated because a queue's policy has changed
// meanwhile, or because another item was inserted with one of the keys.
const enqueueTries = 50

// errPolicyChanged reports that a queue's policy has changed since the rows were made.
var errPolicyChanged = errors.New("gave up: the policies of the queues kept changing")

// Enqueue implements workqueue.ItemStore.
func (s *enqueuing) Enqueue(ctx context.Context, items []workqueue.NewItem) (results []workqueue.Enqueued, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	err = s.bounded(ctx, func(ctx context.Context) error {
		results, err = s.enqueueAll(ctx, items)
		return err
	})
	return results, err
}

func (s *enqueuing) enqueueAll(ctx context.Context, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
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
			for _, r := range e.results {
				s.history.sawItem(r.ID)
			}
			s.recordSeen(s.history.unrecorded(recordEvery))
			return e.results, nil
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
		case classify(err) != uniqueError:
			return nil, refusedItem(err)
		}
		// Another item was just inserted with the same key: the next try finds it.
	}
	return nil, err
}

// enqueue is one try to insert items.
type enqueue struct {
	s       *enqueuing
	rows    []newItemRow
	queues  []policyRow
	results []workqueue.Enqueued

	// indexes are the positions of the rows in the caller's list of items.
	indexes []int

	// duplicates maps items that have a key of an earlier item of the list to that item.
	duplicates map[int]int

	// now is the time of the insert where the statement does not count the items itself;
	// nil: that of the statement.
	now any
}

// policyRow is a queue's revision inside a JSON parameter.
type policyRow struct {
	Queue    string
	Revision int64
}

// prepare makes rows of the items by the policies of their queues. It leaves out items whose
// key already exists.
func (s *enqueuing) prepare(ctx context.Context, items []workqueue.NewItem) (*enqueue, error) {
	return s.prepareBy(ctx, items, func(doing string, do func(runner) error) error {
		return s.retry(ctx, doing, func() error { return do(s.db) })
	})
}

// prepareBy is prepare with a function that runs what reads items and the clock.
func (s *enqueuing) prepareBy(ctx context.Context, items []workqueue.NewItem, read func(doing string, do func(runner) error) error) (*enqueue, error) {
	e := &enqueue{s: s, results: make([]workqueue.Enqueued, len(items)), duplicates: map[int]int{}}
	e.rows, e.indexes = make([]newItemRow, 0, len(items)), make([]int, 0, len(items))
	first, found := map[keyRow]int{}, map[int]keyRow{}
	var now time.Time
	var q workqueue.Queue // of the previous item
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
		if of := s.itemBatch.Load(); of != nil && it.Batch == nil {
			it.Batch = (*of)(&it)
		}
		err := q.Prepare(&it, &s.schemas)
		if err == nil {
			err = s.mixedTimes(ctx, &it, &now, read)
		}
		if err == nil {
			e.rows = append(e.rows, newItemRow{})
			err = e.rows[len(e.rows)-1].fill(s.connection, &it, &q)
		}
		if err != nil {
			return nil, &workqueue.BadItemError{Index: i, Of: len(items), Err: err}
		}
		row := &e.rows[len(e.rows)-1]
		if earlier, key, ok := row.duplicateOf(first); ok {
			e.duplicates[i], found[i] = earlier, key
			e.rows = e.rows[:len(e.rows)-1]
			continue
		}
		for _, key := range row.keys() {
			first[key] = i
		}
		e.indexes = append(e.indexes, i)
	}
	if len(first) == 0 {
		return e, nil
	}
	if err := read("enqueue: find existing keys", func(on runner) error { return e.skipExisting(ctx, on, found) }); err != nil {
		return nil, err
	}
	if err := e.conflicts(items, found); err != nil {
		return nil, err
	}
	return e, nil
}

// duplicateOf returns the earlier item that has one of the row's keys, and the key.
func (r *newItemRow) duplicateOf(first map[keyRow]int) (int, keyRow, bool) {
	for _, key := range r.keys() {
		if i, ok := first[key]; ok {
			return i, key, true
		}
	}
	return 0, keyRow{}, false
}

// skipExisting removes the rows whose key another item already has, and adds these keys to found.
func (e *enqueue) skipExisting(ctx context.Context, on runner, found map[int]keyRow) error {
	holders, err := e.holders(ctx, on)
	if err != nil || len(holders) == 0 {
		return err
	}
	rows, indexes := e.rows, e.indexes
	e.rows, e.indexes = nil, nil
	for i := range rows {
		if id, key := rows[i].holder(holders); id != 0 {
			found[indexes[i]] = key
			e.results[indexes[i]] = workqueue.Enqueued{ID: id, Existing: true}
			continue
		}
		e.rows, e.indexes = append(e.rows, rows[i]), append(e.indexes, indexes[i])
	}
	return nil
}

// insert writes the rows.
func (e *enqueue) insert(ctx context.Context) error {
	if len(e.rows) > 0 {
		write := func(on runner) error { return e.write(ctx, on) }
		if len(e.rows) <= enqueueBatch && !e.needsMore() && !e.s.engine.dialect().countsByID {
			if err := e.s.engine.alone(ctx, e.s.connection, write); err != nil {
				return err
			}
		} else if err := e.s.tx(ctx, func(tx *sql.Tx) error { return write(tx) }); err != nil {
			return err
		}
	}
	e.fillDuplicates()
	return nil
}

// insertIn writes the rows inside a transaction.
func (e *enqueue) insertIn(ctx context.Context, tx runner) error {
	if len(e.rows) > 0 {
		if err := e.write(ctx, tx); err != nil {
			return err
		}
	}
	e.fillDuplicates()
	return nil
}

// fillDuplicates sets the results of items that have a key of an earlier item.
func (e *enqueue) fillDuplicates() {
	for i, earlier := range e.duplicates {
		e.results[i] = workqueue.Enqueued{ID: e.results[earlier].ID, Existing: true}
	}
}

// needsMore reports whether the rows need more than the insert.
func (e *enqueue) needsMore() bool {
	for i := range e.rows {
		if e.rows[i].sealed() || e.rows[i].keyed() || e.rows[i].bounded() {
			return true
		}
	}
	return false
}
