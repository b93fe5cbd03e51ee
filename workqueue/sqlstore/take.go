package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// takeOrderStatement is the file that writes the run order of claimed items. Only an engine
// whose take cannot do that has the file.
const takeOrderStatement = "take_order"

// takenStatement is the file that reads what take has claimed. Only an engine whose take
// returns no more than keys has it: there others wait while take runs.
const takenStatement = "taken"

// ClaimPass implements workqueue.AssignStore.
func (s *Store) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (taken workqueue.Claimed, done bool, err error) {
	if s.queries.has(takenStatement) {
		return s.takeThenRead(ctx, passes, assignments, t)
	}
	if !s.dialect.pipelines || len(assignments) > writeBatch {
		return workqueue.ClaimPassByAssign(ctx, s, passes, assignments, t)
	}
	v, err := s.takeValues(takeRows(assignments), t, passes)
	if err != nil {
		return taken, false, err
	}
	var claimed claimedRows
	err = s.retry(ctx, "take items", func() error {
		claimed = claimedRows{}
		row := claimedBy(t.WorkerID)
		pointers := row.claimed()
		changed, err := s.queries.together(ctx,
			ask{lockStatement, nil, nil},
			ask{"take", v, func(scan scanner) error {
				if err := scan(pointers...); err != nil {
					return err
				}
				claimed.add(s, &row)
				return nil
			}},
			ask{"next_pass", values{"passes": passes}, nil},
		)
		done = err == nil && changed[2] == 1
		return err
	})
	if err != nil || !done {
		return taken, false, err
	}
	return workqueue.ClaimedItems(s.completed(ctx, &claimed)), true, nil
}

// takeThenRead has what was claimed read when that is committed, and others can write.
func (s *Store) takeThenRead(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (taken workqueue.Claimed, done bool, err error) {
	var refs []refRow
	err = s.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		refs, done = nil, false
		now, err := tx.Marks(ctx)
		if err != nil || now.Passes != passes {
			return err
		}
		if refs, err = tx.(*assignTx).takeRefs(ctx, assignments, t); err != nil {
			return err
		}
		done = true
		return tx.Mark(ctx, workqueue.Marks{Passes: passes})
	})
	if err != nil || len(refs) == 0 {
		return taken, done && err == nil, err
	}
	return workqueue.ClaimedToRead(len(refs), func(ctx context.Context) (items []workqueue.Item, err error) {
		err = s.retry(ctx, "read what was taken", func() (err error) {
			items, err = s.taken(ctx, s.readers, s.reading, refs, t.WorkerID)
			return err
		})
		return items, err
	}), true, nil
}

// AssignAndClaim implements workqueue.AssignTx.
func (a *assignTx) AssignAndClaim(ctx context.Context, assignments []workqueue.Assignment, t workqueue.PassClaim) ([]workqueue.Item, error) {
	if a.s.queries.has(takenStatement) {
		refs, err := a.takeRefs(ctx, assignments, t)
		if err != nil || len(refs) == 0 {
			return nil, err
		}
		return a.s.taken(ctx, a.tx, a.s.queries, refs, t.WorkerID)
	}
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

// takeRefs is AssignAndClaim that returns only the keys of the claimed items.
func (a *assignTx) takeRefs(ctx context.Context, assignments []workqueue.Assignment, t workqueue.PassClaim) ([]refRow, error) {
	var refs []refRow
	for chunk := range slices.Chunk(assignments, writeBatch) {
		v, err := a.s.takeValues(takeRows(chunk), t, nil)
		if err != nil {
			return nil, err
		}
		taken, err := a.s.queries.refs(ctx, a.tx, "take", v)
		if err != nil {
			return nil, fmt.Errorf("take items: %w", err)
		}
		refs = append(refs, taken...)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	return refs, a.noteStarts(ctx)
}

// taken reads what was claimed, in the order in which its worker starts it.
func (s *Store) taken(ctx context.Context, on runner, queries *queries, refs []refRow, workerID int64) ([]workqueue.Item, error) {
	keys := make([][2]int64, len(refs))
	for i, ref := range refs {
		keys[i] = [2]int64{ref.ItemID, ref.ItemFence}
	}
	batch, err := jsonRows(keys)
	if err != nil {
		return nil, err
	}
	rows, err := queries.query(ctx, on, takenStatement, values{"rows": batch})
	if err != nil {
		return nil, err
	}
	claimed, err := s.claimed(rows, workerID)
	if err != nil {
		return nil, err
	}
	return claimed.complete(ctx, s, on, queries)
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
func (s *Store) takeValues(rows []assignRow, t workqueue.PassClaim, passes any) (values, error) {
	batch, err := jsonRows(rows)
	v := values{"worker": t.WorkerID, "instance": t.InstanceID, "rows": batch, "lease_ms": ms(t.Lease), "now": s.nowArg()}
	if s.dialect.pipelines {
		v["passes"] = passes
	}
	return v, err
}

func (a *assignTx) take(ctx context.Context, rows []assignRow, t workqueue.PassClaim, items []workqueue.Item) ([]workqueue.Item, error) {
	v, err := a.s.takeValues(rows, t, nil)
	if err != nil {
		return nil, err
	}
	found, err := a.s.queries.query(ctx, a.tx, "take", v)
	if err != nil {
		return nil, err
	}
	claimed, err := a.s.claimed(found, t.WorkerID)
	if err != nil {
		return nil, err
	}
	if a.s.queries.has(takeOrderStatement) {
		if err := a.order(ctx, rows, &claimed, t.WorkerID); err != nil {
			return nil, err
		}
	}
	taken, err := claimed.complete(ctx, a.s, a.tx, a.s.queries)
	return append(items, taken...), err
}

// orderRow is what take_order writes of a claim.
type orderRow struct {
	refRow
	RunOrder   int64
	EstimateMs *int64  `json:",omitempty"`
	Channel    *string `json:",omitempty"`
}

// order writes what take could not, to what it has claimed.
func (a *assignTx) order(ctx context.Context, rows []assignRow, c *claimedRows, worker int64) error {
	given := make(map[int64]assignRow, len(rows))
	for _, row := range rows {
		given[row.ItemID] = row
	}
	orders := make([]orderRow, 0, len(rows))
	add := func(id, fence int64) assignRow {
		g := given[id]
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
	slices.SortFunc(orders, func(a, b orderRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(orders)
	if err != nil {
		return err
	}
	n, err := a.s.queries.exec(ctx, a.tx, takeOrderStatement, values{"worker": worker, "rows": batch})
	if err == nil && int(n) != len(orders) {
		err = errSetShrank
	}
	return err
}
