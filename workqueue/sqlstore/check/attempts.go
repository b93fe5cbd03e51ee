package check

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/workqueue"
)

// endRow is a row of the statement ended_twice: the attempts of one claim.
type endRow struct {
	item, fence, ends int64
	one, other        string
	itemID            sql.NullInt64
	state             sql.NullInt64
	present           sql.NullInt64 // the item's fence
}

// endedTwice compares the attempts of the items of a page with each other and with their items.
// It reports an item once, by the first of its claims.
func (r *reading) endedTwice(ctx context.Context, p itemRange) error {
	n, err := count(ctx, r, "attempt_count", p.values())
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckEndedTwice, "attempts", n)
	if n == 0 || r.full(workqueue.CheckEndedTwice) {
		return nil
	}
	rows, err := read(ctx, r, "ended_twice", withLimit(p.values(), pageSize), func(rows *sql.Rows, x *endRow) error {
		return rows.Scan(&x.item, &x.fence, &x.ends, &x.one, &x.other, &x.itemID, &x.state, &x.present)
	})
	for i, row := range rows {
		if i == 0 || rows[i-1].item != row.item {
			r.add(row.violation())
		}
	}
	return err
}

func (x *endRow) violation() workqueue.Violation {
	v := workqueue.Violation{
		Check: workqueue.CheckEndedTwice, ItemID: &x.item, Mark: fmt.Sprintf("fence %d", x.fence),
		Wanted: "one end for each claim: an attempt that did not succeed, or the item's success",
		Hint: "two runs of one claim have ended: check both in `botwork items show` and in the logs, and report it as a bug; " +
			"then delete the wrong attempt",
	}
	state := workqueue.State(x.state.Int64)
	switch {
	case !x.itemID.Valid:
		v.Found = fmt.Sprintf("attempts of an item that does not exist, the first under fence %d (%s)", x.fence, x.one)
		v.Wanted = "attempts of items that exist: they are deleted with their item"
		v.Hint = "the foreign key of BotWorkItemAttempts was off when the item was deleted: delete its attempts"
	case x.fence > x.present.Int64:
		v.Found = fmt.Sprintf("an attempt (%s) under fence %d, but the item's fence is %d", x.one, x.fence, x.present.Int64)
		v.Wanted = "a fence that never decreases"
		v.Hint = "the fence was lowered by hand, so a late worker could write under it again: set Fence to the highest of the item's attempts"
	case x.ends > 1:
		v.Found = fmt.Sprintf("%d attempts under fence %d (%s, %s)", x.ends, x.fence, x.one, x.other)
	case state == workqueue.Processed:
		v.Found = fmt.Sprintf("Processed under fence %d, under which an attempt %s as well", x.fence, ended(x.one))
	default:
		v.Found = fmt.Sprintf("running under fence %d, under which an attempt %s already", x.fence, ended(x.one))
		v.Wanted = "a running claim has no end yet"
	}
	return v
}

// ended returns an attempt's outcome as part of a sentence.
func ended(outcome string) string {
	if outcome == "timeout" {
		return "timed out"
	}
	return fmt.Sprintf("ended (%s)", outcome)
}
