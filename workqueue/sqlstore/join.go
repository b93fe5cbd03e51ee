package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"botwork/workqueue"
)

// Join implements workqueue.LeaseStore.
func (s *leaseStore) Join(ctx context.Context, p workqueue.JoinParams) (items []workqueue.Item, err error) {
	leader := refRows([]workqueue.ItemRef{p.Leader})
	for try := 0; ; try++ {
		if items, err = s.join(ctx, p); !errors.Is(err, workqueue.ErrLeaseLost) {
			return items, err
		}
		locked, lerr := s.lockedAmong(ctx, p.WorkerID, p.InstanceID, leader)
		if lerr != nil || len(locked) == 0 {
			return nil, cmp.Or(lerr, err)
		}
		if try == len(lockPauses) || !sleep(ctx, lockPauses[try]) {
			return nil, lockedError(locked)
		}
	}
}

func (s *leaseStore) join(ctx context.Context, p workqueue.JoinParams) ([]workqueue.Item, error) {
	bytes := p.Bytes
	if bytes == 0 {
		bytes = math.MaxInt64
	}
	var claimed claimedRows
	err := s.single(ctx, "join items", func(on runner) error {
		rows, err := s.queries.query(ctx, on, "join", values{
			"worker": p.WorkerID, "instance": p.InstanceID, "leader": p.Leader.ItemID, "fence": p.Leader.Fence,
			"limit_rows": p.Max, "bytes": bytes, "lease_ms": ms(p.Lease), "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		claimed, err = s.claimed(rows, p.WorkerID)
		return err
	})
	if err != nil {
		return nil, err
	}
	items := s.completed(ctx, &claimed)
	leader := slices.IndexFunc(items, func(it workqueue.Item) bool { return it.ID == p.Leader.ItemID })
	if leader < 0 {
		return nil, workqueue.ErrLeaseLost
	}
	return slices.Delete(items, leader, leader+1), nil
}
