package sqlstore

import (
	"context"

	"botwork/workqueue/access"
)

// CleanAccess implements access.Cleaner.
func (s *housekeepingStore) CleanAccess(ctx context.Context, limit int) (removed int, err error) {
	limit = bounded(limit, cleanRows)
	for _, c := range []struct {
		doing, statement string
		values           values
	}{
		{"remove old answers to requests", "clean_answers", s.aged(access.AnswerAge, limit)},
		{"remove sessions that have ended", "clean_sessions", values{"limit_rows": limit, "now": s.nowArg()}},
		{"remove sign-in links that have expired", "clean_links", values{"limit_rows": limit, "now": s.nowArg()}},
		{"remove old tokens", "clean_tokens", s.aged(access.TokenAge, limit)},
	} {
		n, err := s.cleanBatch(ctx, c.doing, c.statement, c.values)
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}
