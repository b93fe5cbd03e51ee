package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
)

// apart is the difference of clocks that is reported.
const apart = 5 * time.Second

// clock compares the database's clock with this machine's.
func (d *Doctor) clock(ctx context.Context) []Result {
	if d.o.Driver == database.SQLite {
		return ok("the database has no clock but this machine's")
	}
	var at time.Time
	before := time.Now()
	err := d.ask(ctx, "clock", func(rows *sql.Rows) error { return rows.Scan(&at) })
	if err != nil {
		return d.unanswered(ctx, err)
	}
	after := time.Now()
	// The answer was true at some moment between; the middle is off by half the
	// way at most.
	return judgeClock(at.Sub(before.Add(after.Sub(before)/2)), after.Sub(before))
}

// judgeClock says what a difference means: how far the database is ahead, and how
// long it took to ask.
func judgeClock(ahead, asking time.Duration) []Result {
	size := ahead.Abs()
	if size <= max(asking, 100*time.Millisecond) {
		return ok("this machine's clock and the database's are the same")
	}
	direction := "behind"
	if ahead < 0 {
		direction = "ahead of"
	}
	found := fmt.Sprintf("this machine is %s %s the database", size.Round(100*time.Millisecond), direction)
	if size < apart {
		return ok(found)
	}
	return warning(found, "set this machine's clock by a time server. Leases, heartbeats and due times go by the database's clock and are safe; "+
		"the instants of triggers go by this machine's")
}
