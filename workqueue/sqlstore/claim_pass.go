package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"botwork/workqueue"
)

// ClaimPass implements workqueue.AssignStore.
func (s *assignStore) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return s.engine.claimPass(ctx, s, passes, assignments, c)
}

// AssignAndClaim implements workqueue.AssignTx.
func (a *assignTx) AssignAndClaim(ctx context.Context, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error) {
	return a.s.engine.claimInPass(ctx, a, assignments, c)
}

// claimPass implements engine: the pass assigns the items and then claims them.
func (anyEngine) claimPass(ctx context.Context, s *assignStore, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, s, passes, assignments, c)
}

// claimInBatches claims the items in batches. claim claims one batch and returns its items.
func (a *assignTx) claimInBatches(ctx context.Context, assignments []workqueue.Assignment, claim func([]assignRow) ([]workqueue.Item, error)) ([]workqueue.Item, error) {
	var items []workqueue.Item
	for chunk := range slices.Chunk(assignments, writeBatch) {
		claimed, err := claim(claimRows(chunk))
		if err != nil {
			return nil, fmt.Errorf("claim items: %w", err)
		}
		items = append(items, claimed...)
	}
	if len(items) == 0 {
		return nil, nil
	}
	return items, a.recordStarts(ctx)
}

// claimRows returns the assignments in the order in which all statements lock items: by id.
func claimRows(assignments []workqueue.Assignment) []assignRow {
	rows := make([]assignRow, len(assignments))
	for i := range assignments {
		rows[i] = assignRowOf(&assignments[i])
	}
	sort.Slice(rows, func(i, k int) bool { return rows[i].ItemID < rows[k].ItemID })
	return rows
}

// claimValues are the parameters of the statement take.
func (s *assignStore) claimValues(rows []assignRow, c workqueue.PassClaim) (values, error) {
	batch, err := jsonRows(rows)
	return values{"worker": c.WorkerID, "instance": c.InstanceID, "rows": batch, "lease_ms": ms(c.Lease), "now": s.nowArg()}, err
}
