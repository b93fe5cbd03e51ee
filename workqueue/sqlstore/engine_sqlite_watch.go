package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"botwork/workqueue"
)

// leastWatch and mostWatch limit the pause between two checks for changes by other processes:
// it is short after a change, and grows while nothing changes.
const leastWatch, mostWatch = 25 * time.Millisecond, 400 * time.Millisecond

// watchChanges reports that items may be ready whenever another process has changed the SQLite
// file, until ctx ends. SQLite has no notices, but a number that changes with each commit of
// another connection; reading it touches no table.
func watchChanges(ctx context.Context, db *sql.DB, report func(workqueue.Notice)) {
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
		// On the connection that writes: its own commits do not change the number.
		if err := db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil || version == known {
			pause = min(pause+pause/4, mostWatch)
			continue
		}
		if known != 0 {
			report(workqueue.Notice{Band: workqueue.EveryPriority, Others: true})
		}
		known, pause = version, leastWatch
	}
}
