package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"botwork/workqueue"
)

// waitingStore finds out whether items wait.
type waitingStore struct {
	*connection
}

// Ready implements workqueue.WaitingStore.
func (s *waitingStore) Ready(ctx context.Context, workerID int64, band workqueue.Band) (ready workqueue.Readiness, next time.Duration, err error) {
	var dueIn sql.NullInt64
	err = s.retry(ctx, "find work", func() error {
		rows, err := s.queries.query(ctx, s.db, "ready", values{
			"worker": workerID, "min_priority": band.Min, "max_priority": band.Max,
			"recent_ms": ms(workqueue.RecentlyDue), "elsewhere_ms": ms(workqueue.HeldElsewhere), "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&ready, &dueIn) })
	})
	if dueIn.Valid {
		next = max(time.Duration(dueIn.Int64)*time.Millisecond, time.Microsecond)
	}
	return ready, next, err
}

// Waits implements workqueue.WaitingStore.
func (s *waitingStore) Waits(ctx context.Context, band workqueue.Band) (bool, error) {
	var waits int
	err := s.retry(ctx, "find waiting items", func() error {
		rows, err := s.queries.query(ctx, s.db, "waiting", values{
			"min_priority": band.Min, "max_priority": band.Max, "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&waits) })
	})
	return waits == 1, err
}
