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

// enqueueTries bounds how often an insert is begun anew because a queue's
// policy has changed meanwhile, or somebody took one of the keys.
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
			return e.results, nil
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
		case classify(err) != uniqueError:
			return nil, err
		}
		// Somebody took a key in this moment: the next try finds it.
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
	first := map[keyRow]int{}
	for i, it := range items {
		if it.QueueName == "" {
			it.QueueName = workqueue.DefaultQueue
		}
		q, err := s.queue(ctx, it.QueueName)
		if err != nil {
			return nil, fmt.Errorf("enqueue: %w", err)
		}
		if err := q.Prepare(&it, &s.schemas); err != nil {
			return nil, &workqueue.BadItemError{Index: i, Of: len(items), Err: err}
		}
		row, err := s.newItemRow(&it, &q)
		if err != nil {
			return nil, &workqueue.BadItemError{Index: i, Of: len(items), Err: err}
		}
		if p := (policyRow{q.Name, q.Revision}); !slices.Contains(e.queues, p) {
			e.queues = append(e.queues, p)
		}
		if twin, ok := row.twin(first); ok {
			e.later[i] = twin
			continue
		}
		for _, key := range row.keys() {
			first[key] = i
		}
		e.rows, e.places = append(e.rows, row), append(e.places, i)
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

// insert writes the rows. One statement is its own transaction.
func (e *enqueue) insert(ctx context.Context) error {
	if len(e.rows) > 0 {
		write := func(on runner) error { return e.write(ctx, on) }
		if len(e.rows) <= enqueueBatch && !e.needsMore() {
			if err := write(e.s.db); err != nil {
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

// needsMore tells that the insert alone is not enough.
func (e *enqueue) needsMore() bool {
	return slices.ContainsFunc(e.rows, func(r newItemRow) bool { return r.Sealed != 0 || len(r.keys()) > 0 })
}

func (e *enqueue) write(ctx context.Context, on runner) error {
	queues, err := jsonRows(e.queues)
	if err != nil {
		return err
	}
	if err := e.freeTimedKeys(ctx, on); err != nil {
		return err
	}
	var ids []int64 // of the rows without a ticket
	tickets := map[string]int64{}
	for chunk := range slices.Chunk(e.rows, enqueueBatch) {
		before := len(ids) + len(tickets)
		batch, err := jsonRows(chunk)
		if err != nil {
			return err
		}
		rows, err := e.s.queries.query(ctx, on, "enqueue", values{
			"rows": batch, "queues": queues, "queue_count": len(e.queues), "now": e.s.nowArg(),
		})
		if err != nil {
			return err
		}
		err = eachRow(rows, func() error {
			var id int64
			var ticket *string
			if err := rows.Scan(&id, &ticket); err != nil {
				return err
			}
			if ticket != nil {
				tickets[*ticket] = id
			} else {
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(ids)+len(tickets)-before != len(chunk) {
			return errPolicyChanged
		}
	}
	slices.Sort(ids)
	return e.name(ctx, on, ids, tickets)
}

// name says which row got which id: by its ticket or by its key; the others
// follow each other.
func (e *enqueue) name(ctx context.Context, on runner, ids []int64, tickets map[string]int64) error {
	var holders map[keyRow]int64
	if e.needsMore() {
		var err error
		if holders, err = e.holders(ctx, on); err != nil {
			return err
		}
		named := map[int64]bool{}
		for _, id := range holders {
			named[id] = true
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return named[id] })
	}
	for i := range e.rows {
		id := e.rows[i].holder(holders)
		switch t := e.rows[i].Ticket; {
		case t != nil:
			id = tickets[*t]
		case id == 0:
			id, ids = ids[0], ids[1:]
		}
		e.results[e.places[i]] = workqueue.Enqueued{ID: id}
	}
	if len(tickets) == 0 {
		return nil
	}
	return e.s.seal(ctx, on, e.rows, tickets)
}
