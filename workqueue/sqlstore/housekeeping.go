package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

var _ workqueue.HousekeepingStore = (*housekeepingStore)(nil)

// housekeepingStore removes what need not be kept any longer.
type housekeepingStore struct {
	*connection
	*bookkeeping
	*batches
	*itemLists
	*auditing
	*queueStore
}

// cleanItems and cleanRows limit a batch of items and of other rows, so that it is short and
// SQL Server, which may do so from 5,000 rows on, never locks a table. Attempts are deleted
// with their items: cleanAttempts limits how many.
const (
	cleanItems    = 500
	cleanRows     = 1000
	cleanAttempts = 2000
)

// bounded returns the size of a batch: at most bound.
func bounded(limit, bound int) int { return min(orDefault(limit, bound), bound) }

// cleanTx runs a transaction that does not wait long for locks.
func (s *housekeepingStore) cleanTx(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	return s.retry(ctx, doing, func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if err := s.engine.yieldLocks(ctx, s.connection, tx); err != nil {
				return err
			}
			return do(tx)
		})
	})
}

// pickedRow is an item as it was picked for a change or for removal, inside a JSON parameter.
type pickedRow struct {
	refRow
	OldState int
	Hidden   int // 1: logically deleted

	attempts int
}

// removePicked picks items with a statement and removes them, in one transaction.
func (s *housekeepingStore) removePicked(ctx context.Context, doing, statement string, v values) (removed int, err error) {
	err = s.cleanTx(ctx, doing, func(tx *sql.Tx) error {
		removed = 0
		picked, err := s.picked(ctx, tx, statement, v)
		if err != nil {
			return err
		}
		removed, err = s.remove(ctx, tx, limitAttempts(picked))
		return err
	})
	return removed, err
}

func (s *housekeepingStore) picked(ctx context.Context, on runner, statement string, v values) ([]pickedRow, error) {
	rows, err := s.queries.query(ctx, on, statement, v)
	if err != nil {
		return nil, err
	}
	var picked []pickedRow
	err = eachRow(rows, func() error {
		var r pickedRow
		if err := rows.Scan(&r.ItemID, &r.ItemFence, &r.OldState, &r.Hidden, &r.attempts); err != nil {
			return err
		}
		picked = append(picked, r)
		return nil
	})
	return picked, err
}

// limitAttempts cuts a batch where it would have too many attempts. The first item stays,
// however many it has.
func limitAttempts(picked []pickedRow) []pickedRow {
	sum := 0
	for i, r := range picked {
		if sum += r.attempts; sum > cleanAttempts && i > 0 {
			return picked[:i]
		}
	}
	return picked
}

// remove deletes items that have not changed since they were picked, and records that in the
// statistics.
func (s *housekeepingStore) remove(ctx context.Context, tx *sql.Tx, picked []pickedRow) (int, error) {
	if len(picked) == 0 {
		return 0, nil
	}
	slices.SortStableFunc(picked, func(a, b pickedRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(picked)
	if err != nil {
		return 0, err
	}
	ids := make([]int64, len(picked))
	for i, r := range picked {
		ids[i] = r.ItemID
	}
	var n int64
	err = s.keepMoves(ctx, tx, ids, func() (err error) {
		n, err = s.queries.exec(ctx, tx, "clean_remove", values{"rows": batch})
		return err
	})
	return int(n), err
}

// RemoveRetained implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveRetained(ctx context.Context, limit int) (int, error) {
	return s.removePicked(ctx, "remove items whose retention has ended", "clean_retained",
		values{"limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}

// RemoveCompleted implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveCompleted(ctx context.Context, age *time.Duration, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		maxAge := queueAge(q.RetainMs, age)
		if maxAge == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("remove completed items of queue %q", q.Name), "clean_completed",
			values{"queue": q.Name, "age_ms": ms(*maxAge), "limit_rows": room, "now": s.nowArg()})
	})
}

// RemoveArchived implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveArchived(ctx context.Context, age *time.Duration, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		maxAge := queueAge(q.ArchiveAgeMs, age)
		if maxAge == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("remove archived items of queue %q", q.Name), "clean_archived",
			values{"queue": q.Name, "age_ms": ms(*maxAge), "limit_rows": room, "now": s.nowArg()})
	})
}

// TrimArchives implements workqueue.HousekeepingStore.
func (s *housekeepingStore) TrimArchives(ctx context.Context, keep *int, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		most := keep
		if q.ArchiveLimit != nil {
			most = q.ArchiveLimit
		}
		if most == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("trim the archive of queue %q", q.Name), "clean_excess",
			values{"queue": q.Name, "keep": max(*most, 0), "limit_rows": room})
	})
}

// queueAge returns the queue's own age limit, or the fallback if it has none.
func queueAge(queueMs *int64, fallback *time.Duration) *time.Duration {
	if queueMs == nil {
		return fallback
	}
	age := milliseconds(*queueMs)
	return &age
}

// removeByQueue goes through the queues until the batch is full. It reads their policies again,
// so that a retention that was just extended is respected.
func (s *housekeepingStore) removeByQueue(ctx context.Context, limit int, remove func(q *queueRow, room int) (int, error)) (removed int, err error) {
	var queues []queueRow
	err = s.retry(ctx, "read the queues' policies", func() error {
		queues = nil
		return s.listing.WithContext(ctx).Select("Name", "RetainMs", "ArchiveAgeMs", "ArchiveLimit").
			Order(clause.OrderByColumn{Column: column("Name")}).Find(&queues).Error
	})
	if err != nil {
		return 0, err
	}
	for i := range queues {
		if removed >= limit {
			break
		}
		n, err := remove(&queues[i], limit-removed)
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// RemoveDeleted implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveDeleted(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.removePicked(ctx, "remove deleted items", "clean_deleted",
		values{"age_ms": ms(age), "limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}
