package sqlstore

import (
	"context"
	"time"
)

// RemoveAudit implements workqueue.HousekeepingStore. The items of an entry are removed before it.
func (s *housekeepingStore) RemoveAudit(ctx context.Context, age time.Duration, limit int) (int, error) {
	removed, err := s.cleanBatch(ctx, "remove items of old audit entries", "clean_audit_items", s.aged(age, limit))
	if removed > 0 || err != nil {
		return removed, err
	}
	return s.cleanBatch(ctx, "remove old audit entries", "clean_audit", s.aged(age, limit))
}
