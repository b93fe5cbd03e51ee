package sqlstore

import (
	"context"
	"database/sql"
	"time"
)

// FreeTimedKeys implements workqueue.HousekeepingStore.
func (s *housekeepingStore) FreeTimedKeys(ctx context.Context, limit int) (int, error) {
	return s.cleanBatch(ctx, "free expired unique keys", "clean_keys",
		values{"limit_rows": bounded(limit, cleanItems), "now": s.nowArg()})
}

// RemoveFirings implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveFirings(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old firings", "clean_firings", s.aged(age, limit))
}

// RemoveRuns implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveRuns(ctx context.Context, age time.Duration, limit int) (int, error) {
	removed, err := s.cleanBatch(ctx, "remove old runs of pipelines", "clean_runs", s.aged(age, limit))
	if removed > 0 || err != nil {
		return removed, err
	}
	return s.cleanBatch(ctx, "remove old requests for runs", "clean_requests", s.aged(age, limit))
}

// RemoveWorkers implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveWorkers(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove workers that have stopped", "clean_workers", s.aged(age, limit))
}

// RemoveForecasts implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveForecasts(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old forecasts", "clean_forecasts", s.aged(age, limit))
}

func (s *housekeepingStore) aged(age time.Duration, limit int) values {
	return values{"age_ms": ms(age), "limit_rows": bounded(limit, cleanRows), "now": s.nowArg()}
}

// cleanBatch runs a statement that picks rows and changes them.
func (s *housekeepingStore) cleanBatch(ctx context.Context, doing, statement string, v values) (changed int, err error) {
	err = s.cleanTx(ctx, doing, func(tx *sql.Tx) error {
		n, err := s.queries.exec(ctx, tx, statement, v)
		changed = int(n)
		return err
	})
	return changed, err
}
