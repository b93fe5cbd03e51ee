package sqlstore

import (
	"context"

	"botwork/workqueue"
)

// claimPass locks assignment, claims and counts the pass in one round trip. The statement take
// itself compares the number of passes, since nothing can be read in between.
func (e *postgresEngine) claimPass(ctx context.Context, s *assignStore, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (items workqueue.Claimed, done bool, err error) {
	if len(assignments) > writeBatch {
		return e.anyEngine.claimPass(ctx, s, passes, assignments, c)
	}
	v, err := s.claimValues(claimRows(assignments), c)
	if err != nil {
		return items, false, err
	}
	v["passes"] = passes
	var claimed claimedRows
	err = s.retry(ctx, "claim items", func() error {
		claimed = claimedRows{}
		row := claimedBy(c.WorkerID)
		pointers := row.claimed()
		changed, err := s.queries.together(ctx,
			ask{lockStatement, nil, nil},
			ask{"take", v, func(scan scanner) error {
				if err := scan(pointers...); err != nil {
					return err
				}
				claimed.add(s.itemRows, &row)
				return nil
			}},
			ask{"next_pass", values{"passes": passes}, nil},
		)
		done = err == nil && changed[2] == 1
		return err
	})
	if err != nil || !done {
		return items, false, err
	}
	return workqueue.ClaimedItems(s.completed(ctx, &claimed)), true, nil
}

func (e *postgresEngine) claimInPass(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error) {
	return a.claimInBatches(ctx, assignments, func(rows []assignRow) ([]workqueue.Item, error) {
		v, err := a.s.claimValues(rows, c)
		if err != nil {
			return nil, err
		}
		v["passes"] = nil // the caller has compared the number
		found, err := a.s.queries.query(ctx, a.tx, "take", v)
		if err != nil {
			return nil, err
		}
		claimed, err := a.s.claimed(found, c.WorkerID)
		if err != nil {
			return nil, err
		}
		return claimed.complete(ctx, a.s.itemRows, a.tx, a.s.queries)
	})
}
