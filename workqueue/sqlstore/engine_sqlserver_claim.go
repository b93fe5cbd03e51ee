package sqlstore

import (
	"context"
	"sort"

	"botwork/workqueue"
)

// claimInPass claims with the statement take, and writes the run order with a second statement,
// because take cannot.
func (e *sqlServerEngine) claimInPass(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error) {
	return a.claimInBatches(ctx, assignments, func(rows []assignRow) ([]workqueue.Item, error) {
		v, err := a.s.claimValues(rows, c)
		if err != nil {
			return nil, err
		}
		found, err := a.s.queries.query(ctx, a.tx, "take", v)
		if err != nil {
			return nil, err
		}
		claimed, err := a.s.claimed(found, c.WorkerID)
		if err != nil {
			return nil, err
		}
		if err := e.writeOrder(ctx, a, rows, &claimed, c.WorkerID); err != nil {
			return nil, err
		}
		return claimed.complete(ctx, a.s.itemRows, a.tx, a.s.queries)
	})
}

// orderRow is what the statement take_order writes for a claim.
type orderRow struct {
	refRow
	RunOrder   int64
	EstimateMs *int64  `json:",omitempty"`
	Channel    *string `json:",omitempty"`
}

// writeOrder writes the run order, estimate and channel of claimed items.
func (*sqlServerEngine) writeOrder(ctx context.Context, a *assignTx, rows []assignRow, c *claimedRows, worker int64) error {
	assigned := make(map[int64]assignRow, len(rows))
	for _, row := range rows {
		assigned[row.ItemID] = row
	}
	orders := make([]orderRow, 0, len(rows))
	add := func(id, fence int64) assignRow {
		g := assigned[id]
		orders = append(orders, orderRow{refRow{ItemID: id, ItemFence: fence}, g.RunOrder, g.EstimateMs, g.Channel})
		return g
	}
	for i := range c.items {
		it := &c.items[i]
		g := add(it.ID, it.Fence)
		it.RunOrder, it.AssignedEstimateMs, it.Channel = g.RunOrder, g.EstimateMs, g.Channel
	}
	for i := range c.large {
		row := &c.large[i]
		g := add(row.ID, row.Fence)
		row.RunOrder, row.AssignedEstimateMs, row.Channel = g.RunOrder, g.EstimateMs, g.Channel
	}
	if len(orders) == 0 {
		return nil
	}
	sort.Slice(orders, func(i, k int) bool { return orders[i].compare(orders[k].refRow) < 0 })
	batch, err := jsonRows(orders)
	if err != nil {
		return err
	}
	n, err := a.s.queries.exec(ctx, a.tx, "take_order", values{"worker": worker, "rows": batch})
	if err == nil && int(n) != len(orders) {
		err = errSetShrank
	}
	return err
}
