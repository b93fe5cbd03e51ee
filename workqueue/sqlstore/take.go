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

// Take implements workqueue.AssignTx.
func (a *assignTx) Take(ctx context.Context, assignments []workqueue.Assignment, t workqueue.Taking) ([]workqueue.Item, error) {
	var items []workqueue.Item
	for chunk := range slices.Chunk(assignments, writeBatch) {
		rows := make([]assignRow, len(chunk))
		for i := range chunk {
			rows[i] = assignRowOf(&chunk[i])
		}
		// Rows are locked in the order of ids, as everybody does.
		slices.SortFunc(rows, func(a, b assignRow) int { return cmp.Compare(a.ItemID, b.ItemID) })
		var err error
		if items, err = a.take(ctx, rows, t, items); err != nil {
			return nil, fmt.Errorf("take items: %w", err)
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	return items, a.noteStarts(ctx)
}

func (a *assignTx) take(ctx context.Context, rows []assignRow, t workqueue.Taking, items []workqueue.Item) ([]workqueue.Item, error) {
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
	}
	if a.s.queries.has(takeAssignStatement) {
		_, err := a.s.queries.exec(ctx, a.tx, takeAssignStatement, values{
			"worker": t.WorkerID, "instance": t.InstanceID, "rows": batch, "now": a.s.nowArg(),
		})
		if err != nil {
			return nil, err
		}
	}
	found, err := a.s.queries.query(ctx, a.tx, "take", values{
		"worker": t.WorkerID, "instance": t.InstanceID, "rows": batch, "lease_ms": ms(t.Lease), "now": a.s.nowArg(),
	})
	if err != nil {
		return nil, err
	}
	return a.s.claimed(found, items)
}
