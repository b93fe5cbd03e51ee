package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// claimPass reads the claimed items after the commit: other processes cannot write while a
// transaction is open.
func (e *sqliteEngine) claimPass(ctx context.Context, s *assignStore, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (claimed workqueue.Claimed, done bool, err error) {
	var refs []refRow
	err = s.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		refs, done = nil, false
		now, err := tx.PassState(ctx)
		if err != nil || now.Passes != passes {
			return err
		}
		if refs, err = e.claimRefs(ctx, tx.(*assignTx), assignments, c); err != nil {
			return err
		}
		done = true
		return tx.RecordPass(ctx, workqueue.PassState{Passes: passes})
	})
	if err != nil || len(refs) == 0 {
		return claimed, done && err == nil, err
	}
	return workqueue.ClaimedUnread(len(refs), func(ctx context.Context) (items []workqueue.Item, err error) {
		err = s.retry(ctx, "read claimed items", func() (err error) {
			items, err = e.readClaimed(ctx, s, s.readers, s.reading, refs, c.WorkerID)
			return err
		})
		return items, err
	}), true, nil
}

func (e *sqliteEngine) claimInPass(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error) {
	refs, err := e.claimRefs(ctx, a, assignments, c)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	return e.readClaimed(ctx, a.s, a.tx, a.s.queries, refs, c.WorkerID)
}

// claimRefs claims items and returns only their keys.
func (e *sqliteEngine) claimRefs(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]refRow, error) {
	var refs []refRow
	for chunk := range slices.Chunk(assignments, writeBatch) {
		v, err := a.s.claimValues(claimRows(chunk), c)
		if err != nil {
			return nil, err
		}
		claimed, err := a.s.queries.refs(ctx, a.tx, "take", v)
		if err != nil {
			return nil, fmt.Errorf("claim items: %w", err)
		}
		refs = append(refs, claimed...)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	return refs, a.recordStarts(ctx)
}

// readClaimed reads the claimed items in the order in which their worker starts them.
func (e *sqliteEngine) readClaimed(ctx context.Context, s *assignStore, on runner, queries *queries, refs []refRow, workerID int64) ([]workqueue.Item, error) {
	keys := make([][2]int64, len(refs))
	for i, ref := range refs {
		keys[i] = [2]int64{ref.ItemID, ref.ItemFence}
	}
	batch, err := jsonRows(keys)
	if err != nil {
		return nil, err
	}
	rows, err := queries.query(ctx, on, "taken", values{"rows": batch})
	if err != nil {
		return nil, err
	}
	claimed, err := s.claimed(rows, workerID)
	if err != nil {
		return nil, err
	}
	return claimed.complete(ctx, s.itemRows, on, queries)
}
