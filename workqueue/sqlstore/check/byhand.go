package check

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// judgedWithin is how long a pass may take to free or to judge a row that was inserted by hand.
const judgedWithin = 5 * time.Minute

// byHandRow is an item whose queue's policies do not hold.
type byHandRow struct {
	id         int64
	queue      string
	naturalKey sql.NullString
	created    database.Time
	other      int64 // with the same key; 0: no policy was applied
}

// byHand finds items that were inserted by hand and got around the policies of their queues.
func (r *reading) byHand(ctx context.Context) error {
	rows, err := read(ctx, r, "by_hand", values{"before": r.at(-judgedWithin), "limit_rows": mostNamed + 1}, func(rows *sql.Rows, row *byHandRow) error {
		return rows.Scan(&row.id, &row.queue, &row.naturalKey, &row.created, &row.other)
	})
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckByHand, "items", r.results[workqueue.CheckItemState].Looked)
	seen := map[int64]bool{}
	for i := range rows {
		row := &rows[i]
		if seen[row.id] { // with the same key as well
			continue
		}
		seen[row.id] = true
		v := workqueue.Violation{Check: workqueue.CheckByHand, ItemID: &row.id}
		if row.other == 0 {
			v.Found = fmt.Sprintf("inserted by hand as assigned at %s, and no pass has applied the policies of its queue %q", row.created.UTC().Format(time.RFC3339), row.queue)
			v.Wanted = "an item that waits: State 0 or 4, which a pass judges and assigns"
			v.Hint = "set State to 0: the next pass applies offset, time to live, unique key and payload schema"
		} else {
			v.Found = fmt.Sprintf("the natural key %.200q, which item %d has too, and no unique key", row.naturalKey.String, row.other)
			v.Wanted = fmt.Sprintf("one item for each key: keys are unique in the queue %q", row.queue)
			v.Hint = "it was inserted or changed by hand: cancel or delete one of the two"
		}
		r.add(v)
	}
	return nil
}
