package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"botwork/workqueue"
)

// leastWatch and mostWatch bound the pause between two questions whether others have
// changed a SQLite file: it is short after a change, and grows while nothing happens.
const leastWatch, mostWatch = 25 * time.Millisecond, 400 * time.Millisecond

// watchOthers says that something may be ready whenever other processes have changed the
// SQLite file, until ctx ends. SQLite carries no notices, but keeps a number that changes
// with each commit of another connection: to ask for it reads no table.
func watchOthers(ctx context.Context, db *sql.DB, tell func(workqueue.Notice)) {
	pause := leastWatch
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for known := int64(0); ; timer.Reset(pause) {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		var version int64
		// By the connection that writes, whose own commits do not count.
		if err := db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil || version == known {
			pause = min(pause+pause/4, mostWatch)
			continue
		}
		if known != 0 {
			tell(workqueue.Notice{Band: workqueue.EveryPriority, Others: true})
		}
		known, pause = version, leastWatch
	}
}
