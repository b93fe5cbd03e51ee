package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"
)

// cleanItems and cleanRows bound a batch of items and of other rows, so that it
// ends soon and SQL Server, which may from 5,000 rows on, never locks a table.
// Attempts go with their items: cleanAttempts bounds how many.
const (
	cleanItems    = 500
	cleanRows     = 1000
	cleanAttempts = 2000
)

// bounded is the size of a batch: at most bound.
func bounded(limit, bound int) int { return min(orDefault(limit, bound), bound) }

// cleanTx runs a transaction that does not wait long for locks.
func (s *Store) cleanTx(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	return s.retry(ctx, doing, func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if err := s.engine.yieldLocks(ctx, s, tx); err != nil {
				return err
			}
			return do(tx)
		})
	})
}

// pickedRow is an item as it was picked for removal, inside a JSON parameter.
type pickedRow struct {
	refRow
	OldState int
	Hidden   int // 1: logically deleted

	attempts int
}

// removePicked picks items by a statement and removes them, in one transaction.
func (s *Store) removePicked(ctx context.Context, doing, statement string, v values) (removed int, err error) {
	err = s.cleanTx(ctx, doing, func(tx *sql.Tx) error {
		removed = 0
		picked, err := s.picked(ctx, tx, statement, v)
		if err != nil {
			return err
		}
		removed, err = s.remove(ctx, tx, withoutCrowds(picked))
		return err
	})
	return removed, err
}

func (s *Store) picked(ctx context.Context, on runner, statement string, v values) ([]pickedRow, error) {
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

// withoutCrowds cuts a batch where its attempts become too many. The first item
// stays, however many it has.
func withoutCrowds(picked []pickedRow) []pickedRow {
	sum := 0
	for i, r := range picked {
		if sum += r.attempts; sum > cleanAttempts && i > 0 {
			return picked[:i]
		}
	}
	return picked
}

// remove deletes items that still are as they were picked, and takes them out of
// the statistics.
func (s *Store) remove(ctx context.Context, tx *sql.Tx, picked []pickedRow) (int, error) {
	if len(picked) == 0 {
		return 0, nil
	}
	slices.SortFunc(picked, func(a, b pickedRow) int { return a.compare(b.refRow) })
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
func (s *Store) RemoveRetained(ctx context.Context, limit int) (int, error) {
	return s.removePicked(ctx, "remove items whose retention is over", "clean_retained",
		values{"limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}

// RemoveCompleted implements workqueue.HousekeepingStore.
func (s *Store) RemoveCompleted(ctx context.Context, age *time.Duration, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		own := ownAge(q.RetainMs, age)
		if own == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("remove completed items of queue %q", q.Name), "clean_completed",
			values{"queue": q.Name, "age_ms": ms(*own), "limit_rows": room, "now": s.nowArg()})
	})
}

// RemoveArchived implements workqueue.HousekeepingStore.
func (s *Store) RemoveArchived(ctx context.Context, age *time.Duration, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		own := ownAge(q.ArchiveAgeMs, age)
		if own == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("remove archived items of queue %q", q.Name), "clean_archived",
			values{"queue": q.Name, "age_ms": ms(*own), "limit_rows": room, "now": s.nowArg()})
	})
}

// TrimArchives implements workqueue.HousekeepingStore.
func (s *Store) TrimArchives(ctx context.Context, keep *int, limit int) (int, error) {
	return s.removeByQueue(ctx, bounded(limit, cleanItems), func(q *queueRow, room int) (int, error) {
		own := keep
		if q.ArchiveLimit != nil {
			own = q.ArchiveLimit
		}
		if own == nil {
			return 0, nil
		}
		return s.removePicked(ctx, fmt.Sprintf("trim the archive of queue %q", q.Name), "clean_excess",
			values{"queue": q.Name, "keep": max(*own, 0), "limit_rows": room})
	})
}

// ownAge is a queue's bound, or else the one for those that have none.
func ownAge(queueMs *int64, fallback *time.Duration) *time.Duration {
	if queueMs == nil {
		return fallback
	}
	own := milliseconds(*queueMs)
	return &own
}

// removeByQueue goes over the queues until a batch is full. It reads their policies again,
// so that a retention that was just extended counts.
func (s *Store) removeByQueue(ctx context.Context, limit int, remove func(q *queueRow, room int) (int, error)) (removed int, err error) {
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
func (s *Store) RemoveDeleted(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.removePicked(ctx, "remove deleted items", "clean_deleted",
		values{"age_ms": ms(age), "limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}
