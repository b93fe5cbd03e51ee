package sqlstore

import (
	"context"
	"time"

	"botwork/workqueue"
)

// freeFor is how long items are taken by the statement that passes over held rows, after the other one
// has waited for such a row.
const freeFor = time.Minute

// take returns the name of the statement that takes items.
func (e *postgresEngine) take() string {
	if time.Now().UnixNano() < e.freeUntil.Load() {
		return "take_free"
	}
	return "take"
}

// took records the error of the statement that takes items. Its caller tries again.
func (e *postgresEngine) took(err error) {
	if isLockTimeout(err) {
		e.freeUntil.Store(time.Now().Add(freeFor).UnixNano())
	}
}

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
			ask{e.take(), v, func(scan scanner) error {
				if err := scan(pointers...); err != nil {
					return err
				}
				claimed.add(s.itemRows, &row)
				return nil
			}},
			ask{"next_pass", values{"passes": passes}, nil},
		)
		done = err == nil && changed[2] == 1
		e.took(err)
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
		found, err := a.s.queries.query(ctx, a.tx, e.take(), v)
		if e.took(err); err != nil {
			return nil, err
		}
		claimed, err := a.s.claimed(found, c.WorkerID)
		if err != nil {
			return nil, err
		}
		return claimed.complete(ctx, a.s.itemRows, a.tx, a.s.queries)
	})
}
