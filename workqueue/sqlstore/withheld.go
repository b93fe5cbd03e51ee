package sqlstore

import "context"

// releaseWithheld gives back assigned items that no claim starts, and returns how many:
// an operator who pauses a queue keeps its items from starting, not its workers from
// other work. When the queue is resumed, or the items are due, passes assign them again.
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
		// Nothing moved although something was found: others were quicker.
		if len(found) < rescueBatch || n == 0 {
			return total, nil
		}
	}
}
