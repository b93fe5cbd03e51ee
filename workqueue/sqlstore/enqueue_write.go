package sqlstore

import (
	"context"
	"fmt"
	"slices"

	sqlfiles "botwork/sql"
)

// write inserts the rows and puts their ids into the results.
func (e *enqueue) write(ctx context.Context, on runner) error {
	if err := e.freeTimedKeys(ctx, on); err != nil {
		return err
	}
	if err := e.readClock(ctx, on); err != nil {
		return err
	}
	w := &written{tickets: map[string]int64{}}
	for chunk := range slices.Chunk(e.rows, enqueueBatch) {
		before := w.count()
		if err := e.writeChunk(ctx, on, chunk, w); err != nil {
			return err
		}
		if w.count()-before != len(chunk) {
			if err := e.passed(ctx, on); err != nil {
				return err
			}
			e.s.history.unverified.Store(true) // or the database is on a timeline that the epoch does not match
			return errPolicyChanged
		}
	}
	ids, err := e.rowIDs(ctx, on, w)
	if err != nil {
		return err
	}
	for i, id := range ids {
		e.results[e.indexes[i]].ID = id
	}
	if err := e.count(ctx, on, ids); err != nil {
		return err
	}
	return e.s.seal(ctx, on, e.rows, ids)
}

// written are the ids of inserted rows.
type written struct {
	ids     []int64 // of those without a ticket
	tickets map[string]int64
	inOrder bool // ids has all rows, in their order
}

func (w *written) count() int { return len(w.ids) + len(w.tickets) }

// writeChunk inserts a chunk of the rows.
func (e *enqueue) writeChunk(ctx context.Context, on runner, chunk []newItemRow, w *written) error {
	in, err := e.s.queries.insert(shapeOf(chunk))
	if err != nil {
		return err
	}
	args, err := e.arguments(in, chunk)
	if err != nil {
		return err
	}
	return e.s.engine.inserted(ctx, on, e.s.queries.bindArgs(ctx, on, in.name, in.Text, args), w)
}

// arguments returns the parameters of the statement for the rows.
func (e *enqueue) arguments(in insert, rows []newItemRow) ([]any, error) {
	args := make([]any, len(in.Names))
	queue, _ := rows[0].cells[sqlfiles.QueueCell].(string)
	oneQueue := !in.Own.Has(sqlfiles.QueueCell)
	for i, name := range in.Names {
		switch name {
		case "rows":
			args[i] = string(appendRows(nil, rows, in.Own))
		case "queue":
			if oneQueue {
				args[i] = queue
			}
		case "revision":
			if oneQueue {
				args[i] = e.revision(queue)
			}
		case "queues":
			if !oneQueue {
				queues, err := jsonRows(e.queues)
				if err != nil {
					return nil, err
				}
				args[i] = queues
			}
		case "queue_count":
			args[i] = len(e.queues)
		case "now":
			args[i] = e.now
		default:
			c, ok := sqlfiles.CellNamed(name)
			if !ok {
				return nil, fmt.Errorf("statement %s: unknown parameter %q", enqueueStatement, name)
			}
			args[i] = rows[0].cells[c]
		}
	}
	return args, nil
}

// revision returns the revision of the policy by which the rows of the queue were made.
func (e *enqueue) revision(queue string) int64 {
	i := slices.IndexFunc(e.queues, func(p policyRow) bool { return p.Queue == queue })
	return e.queues[i].Revision
}

// rowIDs returns the id of each row. Rows are matched by ticket or by key; the other ids are in
// the order of the rows.
func (e *enqueue) rowIDs(ctx context.Context, on runner, w *written) ([]int64, error) {
	if w.inOrder {
		return w.ids, nil
	}
	rest := slices.Sorted(slices.Values(w.ids))
	var holders map[keyRow]int64
	if e.needsMore() {
		var err error
		if holders, err = e.holders(ctx, on); err != nil {
			return nil, err
		}
		matched := map[int64]bool{}
		for _, id := range holders {
			matched[id] = true
		}
		rest = slices.DeleteFunc(rest, func(id int64) bool { return matched[id] })
	}
	ids := make([]int64, len(e.rows))
	for i := range e.rows {
		ids[i], _ = e.rows[i].holder(holders)
		switch ticket := e.rows[i].cells[sqlfiles.TicketCell]; {
		case ticket != nil:
			ids[i] = w.tickets[ticket.(string)]
		case ids[i] == 0:
			ids[i], rest = rest[0], rest[1:]
		}
	}
	return ids, nil
}
