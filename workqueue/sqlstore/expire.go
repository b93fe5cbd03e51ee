package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"botwork/workqueue"
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
	if err := a.s.keepEnded(ctx, a.tx, changed); err != nil {
		return 0, err
	}
	return len(changed), a.removeExpired(ctx, changed)
}

// removeExpired removes those of the expired items that their queues do not keep. The statistics
// have counted their ends before.
func (a *assignTx) removeExpired(ctx context.Context, expired []int64) error {
	if len(expired) == 0 {
		return nil
	}
	batch, err := idRows(expired)
	if err != nil {
		return err
	}
	rows, err := a.s.queries.query(ctx, a.tx, "expire_remove", values{"rows": batch})
	if err != nil {
		return err
	}
	removed := map[string]int64{}
	err = eachRow(rows, func() error {
		var queue string
		err := rows.Scan(&queue)
		removed[queue]++
		return err
	})
	for _, queue := range slices.Sorted(maps.Keys(removed)) {
		if err == nil {
			err = a.s.keepRemoved(ctx, a.tx, queue, workqueue.LifeArchived, removed[queue])
		}
	}
	return err
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
