package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// takeAssignStatement is the file that assigns what the statement take then claims.
// Only an engine whose take cannot do both has it.
const takeAssignStatement = "take_assign"

// TakePass implements workqueue.AssignStore.
func (s *Store) TakePass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.Taking) (items []workqueue.Item, done bool, err error) {
	if !s.dialect.pipelines || len(assignments) > writeBatch {
		return workqueue.TakeByAssign(ctx, s, passes, assignments, t)
	}
	v, err := s.takeValues(takeRows(assignments), t, passes)
	if err != nil {
		return nil, false, err
	}
	err = s.retry(ctx, "take items", func() error {
		items = nil
		row := claimedBy(t.WorkerID)
		pointers := row.claimed()
		changed, err := s.queries.together(ctx,
			ask{lockStatement, nil, nil},
			ask{"take", v, func(scan scanner) error {
				if err := scan(pointers...); err != nil {
					return err
				}
				items = append(items, s.item(&row))
				return nil
			}},
			ask{"next_pass", values{"passes": passes}, nil},
		)
		done = err == nil && changed[2] == 1
		return err
	})
	if err != nil || !done {
		return nil, false, err
	}
	sortClaimed(items)
	return items, true, nil
}

// Take implements workqueue.AssignTx.
func (a *assignTx) Take(ctx context.Context, assignments []workqueue.Assignment, t workqueue.Taking) ([]workqueue.Item, error) {
	var items []workqueue.Item
	for chunk := range slices.Chunk(assignments, writeBatch) {
		var err error
		if items, err = a.take(ctx, takeRows(chunk), t, items); err != nil {
			return nil, fmt.Errorf("take items: %w", err)
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	return items, a.noteStarts(ctx)
}

// takeRows are assignments as take locks their rows: in the order of ids, as everybody
// does.
func takeRows(assignments []workqueue.Assignment) []assignRow {
	rows := make([]assignRow, len(assignments))
	for i := range assignments {
		rows[i] = assignRowOf(&assignments[i])
	}
	slices.SortFunc(rows, func(a, b assignRow) int { return cmp.Compare(a.ItemID, b.ItemID) })
	return rows
}

// takeValues are the parameters of take. Where a pass is written in one go, take asks
// itself whether another one has come first: passes nil has it take whatever they did.
func (s *Store) takeValues(rows []assignRow, t workqueue.Taking, passes any) (values, error) {
	batch, err := jsonRows(rows)
	v := values{"worker": t.WorkerID, "instance": t.InstanceID, "rows": batch, "lease_ms": ms(t.Lease), "now": s.nowArg()}
	if s.dialect.pipelines {
		v["passes"] = passes
	}
	return v, err
}

func (a *assignTx) take(ctx context.Context, rows []assignRow, t workqueue.Taking, items []workqueue.Item) ([]workqueue.Item, error) {
	v, err := a.s.takeValues(rows, t, nil)
	if err != nil {
		return nil, err
	}
	if a.s.queries.has(takeAssignStatement) {
		if _, err := a.s.queries.exec(ctx, a.tx, takeAssignStatement, values{
			"worker": v["worker"], "instance": v["instance"], "rows": v["rows"], "now": v["now"],
		}); err != nil {
			return nil, err
		}
	}
	found, err := a.s.queries.query(ctx, a.tx, "take", v)
	if err != nil {
		return nil, err
	}
	return a.s.claimed(found, t.WorkerID, items)
}
