package bench

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/internal/database"
	"botwork/workqueue"
)

// verify compares the items with an id greater than after with the recorded runs: each
// must be Processed in the database and have run once. It also returns the times from
// assignment to recorded end in milliseconds, by the database's clock.
func (c Common) verify(ctx context.Context, dsn string, after int64, items int, ran *tally) (Count, []float64, error) {
	count := Count{Items: items}
	if c.spoil != nil {
		if err := c.spoil(dsn, ran); err != nil {
			return count, nil, err
		}
	}
	db, err := database.Open(c.Driver, dsn)
	if err != nil {
		return count, nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, fmt.Sprintf(
		`SELECT "Id", "State", "AssignedAt", "FinishedAt" FROM "BotWorkQueueItems" WHERE "Id" > %d`, after))
	if err != nil {
		return count, nil, database.Redact(err, dsn)
	}
	defer rows.Close()
	var times []float64
	good := 0
	for rows.Next() {
		var id int64
		var state workqueue.State
		var assigned, finished sql.NullTime
		if err := rows.Scan(&id, &state, &assigned, &finished); err != nil {
			return count, nil, err
		}
		runs := ran.of(id)
		if runs > 1 {
			count.RanTwice++
		}
		done := state == workqueue.Processed && runs > 0 && finished.Valid && assigned.Valid
		if done {
			good++
			times = append(times, milliseconds(finished.Time.Sub(assigned.Time)))
		}
		if count.example == "" && (!done || runs > 1) {
			count.example = fmt.Sprintf("item %d: state %s, %d runs, assigned at %v, finished at %v", id, state, runs, assigned.Time, finished.Time)
		}
	}
	count.Lost = max(items-good, 0)
	return count, times, rows.Err()
}
