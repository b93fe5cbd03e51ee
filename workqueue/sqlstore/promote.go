package sqlstore

import "context"

// promoteFrom is how many newly due items a pass reads and sorts itself; from there on they are
// promoted. promoteBatch limits one statement: see writeBatch. promoteMost limits how many
// statements one pass waits for: if a million items become due at once, later passes continue.
const promoteFrom, promoteBatch, promoteMost = 1000, 1000, 50

// promote marks newly due items, so that the next pass reads them in order. It is only an
// optimization: passes also find items that are not promoted, and whether an item is due
// depends on AvailableAt alone.
func (s *assignStore) promote(ctx context.Context) error {
	return s.retry(ctx, "promote scheduled items that are due", func() error {
		for range promoteMost {
			n, err := s.execAlone(ctx, "promote", values{"limit_rows": promoteBatch, "now": s.nowArg()})
			if err != nil || n < promoteBatch {
				return err
			}
		}
		return nil
	})
}
