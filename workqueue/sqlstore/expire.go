package sqlstore

import (
	"context"
	"fmt"
	"slices"
)

// The error of an expired item.
const (
	finishText   = "expired: it did not finish by the time that it had"
	deadlineText = "expired: it was not started before its deadline"
	lifeText     = "expired: it waited longer than its queue allows"
)

// Expire implements workqueue.AssignTx.
func (a *assignTx) Expire(ctx context.Context) (int, error) {
	total := 0
	for {
		found, err := a.s.queries.ids(ctx, a.tx, "expired", values{"limit_rows": rescueBatch, "now": a.s.nowArg()})
		if err != nil {
			return total, fmt.Errorf("find expired items: %w", err)
		}
		if len(found) == 0 {
			return total, nil
		}
		changed, err := a.expire(ctx, found)
		if total += changed; err != nil {
			return total, fmt.Errorf("cancel expired items: %w", err)
		}
		a.archived = a.archived || changed > 0
		// Items were found but none changed: other processes changed them first.
		if len(found) < rescueBatch || changed == 0 {
			return total, nil
		}
	}
}

func (a *assignTx) expire(ctx context.Context, found []int64) (int, error) {
	batch, err := idRows(found)
	if err != nil {
		return 0, err
	}
	changed, err := a.s.queries.ids(ctx, a.tx, "expire", values{
		"rows": batch, "finish_text": finishText, "deadline_text": deadlineText, "life_text": lifeText, "now": a.s.nowArg(),
	})
	if err != nil {
		return 0, err
	}
	return len(changed), a.s.keepEnded(ctx, a.tx, changed)
}

// idRows returns the parameter that names items, in the order of their ids. Duplicates are
// removed: an item may have been found twice.
func idRows(ids []int64) (string, error) {
	type row struct {
		ItemID int64 `json:"ItemId"`
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rows := make([]row, len(ids))
	for i, id := range ids {
		rows[i] = row{id}
	}
	return jsonRows(rows)
}
