package sqlstore

import "context"

// promoteFrom is how many items that have become due a pass reads and sorts
// without looking for fewer. promoteBatch bounds a statement: see writeBatch;
// promoteMost bounds what one pass waits for: when a million fall
// due at once, the passes that follow go on with them.
const promoteFrom, promoteBatch, promoteMost = 1000, 1000, 50

// promote puts what has become due with what is due when it is written, so that
// the next pass finds it in order. Nothing hangs on it: an item that is left
// is found as well, and one that has been moved is due only by AvailableAt.
func (s *Store) promote(ctx context.Context) error {
	return s.retry(ctx, "put scheduled items with those that are due", func() error {
		for range promoteMost {
			n, err := s.queries.exec(ctx, s.db, "promote", values{"limit_rows": promoteBatch, "now": s.nowArg()})
			if err != nil || n < promoteBatch {
				return err
			}
		}
		return nil
	})
}
