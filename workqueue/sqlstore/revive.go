package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"botwork/workqueue"
)

// revivedRow is a picked item that is to wait again, inside a JSON parameter.
type revivedRow struct {
	pickedRow
	TakesKey int     // 1: its unique key becomes NewKey
	NewKey   *string // nil: none
}

// revive makes finished items wait again, and items that wait become due. An item that has lost
// its unique key takes it back; if another item has it, the index refuses the whole batch.
func (s *itemChanges) revive(ctx context.Context, tx *sql.Tx, c workqueue.Change, statement string, picked []pickedItem) (int, error) {
	queues := map[string]findQueue{}
	rows := make([]revivedRow, len(picked))
	var steps []endedSteps
	for i := range picked {
		p := &picked[i]
		rows[i].pickedRow = p.pickedRow()
		if p.State == workqueue.Processed || c.Action == workqueue.Repeat {
			ended := endedSteps{refRow: rows[i].refRow}
			if c.FromStep != "" {
				var err error
				if ended.FirstNumber, err = firstDropped(s.in(ctx, tx), p.ID, c.FromStep); err != nil {
					return 0, err
				}
			}
			steps = append(steps, ended)
		}
		if !p.mayLackKey() {
			continue
		}
		find, ok := queues[p.QueueName]
		if !ok {
			find = sync.OnceValues(func() (workqueue.Queue, error) { return s.presentQueue(s.in(ctx, tx), p.QueueName) })
			queues[p.QueueName] = find
		}
		key, err := presentKey(p.NaturalKey, find)
		if err != nil {
			return 0, err
		}
		if key != "" || p.DeletedAt.Valid {
			rows[i].TakesKey, rows[i].NewKey = 1, null(key)
		}
	}
	if err := s.removeSteps(ctx, tx, steps); err != nil {
		return 0, err
	}
	return s.changePicked(ctx, tx, statement, rows, values{"now": s.nowArg()})
}

// mayLackKey reports whether the item may have lost the unique key that it needs to wait again:
// by its deletion, or to a copy of it.
func (p *pickedItem) mayLackKey() bool {
	return p.finished() && (p.DeletedAt.Valid || p.UniqueKey == nil)
}

func (p *pickedItem) finished() bool {
	return p.State == workqueue.Processed || p.State == workqueue.Cancelled
}

// findQueue reads the queue of an item.
type findQueue func() (workqueue.Queue, error)

// presentKey is the key under which an item's natural key must be unique by the
// present policy of its queue; "" when it need not.
func presentKey(naturalKey *string, find findQueue) (string, error) {
	if naturalKey == nil {
		return "", nil
	}
	queue, err := find()
	if _, unknown := errors.AsType[*workqueue.UnknownQueueError](err); unknown {
		return "", nil // the queue's name was written by hand: no policy, no scope
	}
	if err != nil {
		return "", err
	}
	return queue.UniqueKey(*naturalKey), nil
}
