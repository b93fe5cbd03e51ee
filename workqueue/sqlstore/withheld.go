package sqlstore

import "context"

// releaseWithheld releases assigned items that no claim can start, and returns how many. When
// an operator pauses a queue, its items must not occupy workers. Passes assign them again when
// the queue is resumed, or when the items are due.
func (a *assignTx) releaseWithheld(ctx context.Context) (total int, err error) {
	for {
		found, err := a.queries.ids(ctx, a.tx, "withheld", values{"limit_rows": rescueBatch, "now": a.s.nowArg()})
		if err != nil || len(found) == 0 {
			return total, err
		}
		batch, err := idRows(found)
		if err != nil {
			return total, err
		}
		n, err := a.queries.exec(ctx, a.tx, "release_withheld", values{"rows": batch, "now": a.s.nowArg()})
		if total += int(n); err != nil {
			return total, err
		}
		// Items were found but none moved: other processes changed them first.
		if len(found) < rescueBatch || n == 0 {
			return total, nil
		}
	}
}
