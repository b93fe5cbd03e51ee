package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
)

// maxClockDifference is the difference of clocks from which a warning is shown.
const maxClockDifference = 5 * time.Second

// clock compares the database's clock with this machine's.
func (d *Doctor) clock(ctx context.Context) []Result {
	if d.o.Driver == database.SQLite {
		return ok("the database uses this machine's clock")
	}
	var at time.Time
	before := time.Now()
	err := d.query(ctx, "clock", func(rows *sql.Rows) error { return rows.Scan(&at) })
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	after := time.Now()
	// The time was read between before and after. The middle of the two is wrong by at most
	// half of the round trip.
	return evaluateClock(at.Sub(before.Add(after.Sub(before)/2)), after.Sub(before))
}

// evaluateClock returns the result for a difference of clocks: ahead is how far the database is
// ahead, roundTrip how long the query took.
func evaluateClock(ahead, roundTrip time.Duration) []Result {
	size := ahead.Abs()
	if size <= max(roundTrip, 100*time.Millisecond) {
		return ok("this machine's clock and the database's are the same")
	}
	direction := "behind"
	if ahead < 0 {
		direction = "ahead of"
	}
	found := fmt.Sprintf("this machine is %s %s the database", size.Round(100*time.Millisecond), direction)
	if size < maxClockDifference {
		return ok(found)
	}
	return warning(found, "synchronize this machine's clock with a time server. Leases, heartbeats and due times use the database's clock and are safe; "+
		"triggers use this machine's clock")
}
