package sqlstore

import (
	"context"
	"database/sql"
	"time"
)

// FreeTimedKeys implements workqueue.HousekeepingStore.
func (s *Store) FreeTimedKeys(ctx context.Context, limit int) (int, error) {
	return s.cleanBatch(ctx, "free unique keys whose time is over", "clean_keys",
		values{"limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}

// RemoveFirings implements workqueue.HousekeepingStore.
func (s *Store) RemoveFirings(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old firings", "clean_firings", s.aged(age, limit))
}

// RemoveRuns implements workqueue.HousekeepingStore.
func (s *Store) RemoveRuns(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old runs of pipelines", "clean_runs", s.aged(age, limit))
}

// RemoveWorkers implements workqueue.HousekeepingStore.
func (s *Store) RemoveWorkers(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove workers that are gone", "clean_workers", s.aged(age, limit))
}

func (s *Store) aged(age time.Duration, limit int) values {
	return values{"age_ms": ms(age), "limit_rows": bounded(limit, cleanRows), "now": s.nowArg()}
}

// cleanBatch runs one statement that picks rows and changes them.
func (s *Store) cleanBatch(ctx context.Context, doing, statement string, v values) (changed int, err error) {
	err = s.cleanTx(ctx, doing, func(tx *sql.Tx) error {
		n, err := s.queries.exec(ctx, tx, statement, v)
		changed = int(n)
		return err
	})
	return changed, err
}
