package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// recentEpoch is how long a new epoch is reported as a warning.
const recentEpoch = 7 * 24 * time.Hour

// history reports whether the database may have lost transactions recently.
func (d *Doctor) history(ctx context.Context) []Result {
	var epoch, ms int64
	var reason string
	err := d.query(ctx, "history", func(rows *sql.Rows) error { return rows.Scan(&epoch, &ms, &reason) })
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	return evaluateHistory(epoch, time.Duration(ms)*time.Millisecond, reason)
}

// evaluateHistory returns the result for an epoch. ago is the time since it was raised; below 0:
// never.
func evaluateHistory(epoch int64, ago time.Duration, reason string) []Result {
	switch {
	case ago < 0:
		return ok("no lost transactions were detected")
	case ago >= recentEpoch:
		return ok(fmt.Sprintf("epoch %d for %d days", epoch, int(ago.Hours()/24)))
	}
	return warning(fmt.Sprintf("epoch %d started %s ago, because %s", epoch, ago.Round(time.Second), reason),
		"check the items that were added and the results that were written shortly before: some may be lost; see docs/reliability.md")
}

// standby is a server that may become the primary.
type standby struct {
	name string
	sync sql.NullBool // a commit waits for it; NULL: the login may not see that
}

// replication reports whether a failover can lose acknowledged changes.
func (d *Doctor) replication(ctx context.Context) []Result {
	var all []standby
	err := d.query(ctx, "replication", func(rows *sql.Rows) error {
		var s standby
		var name sql.NullString
		err := rows.Scan(&name, &s.sync)
		s.name = name.String
		all = append(all, s)
		return err
	})
	if err != nil {
		return skipped("the server does not list its standbys: " + err.Error())
	}
	return evaluateReplication(all)
}

// evaluateReplication returns the result for the standbys of a server.
func evaluateReplication(all []standby) []Result {
	var waits, lags []string
	for _, s := range all {
		switch {
		case !s.sync.Valid:
			return skipped("this login may not see whether the standbys are synchronous; hint: GRANT pg_monitor")
		case s.sync.Bool:
			waits = append(waits, s.name)
		default:
			lags = append(lags, s.name)
		}
	}
	switch {
	case len(all) == 0:
		return ok("no standby is connected")
	case len(lags) == 0:
		return ok("a commit waits for " + strings.Join(waits, ", "))
	}
	return warning("asynchronous: "+strings.Join(lags, ", "),
		"a failover to it loses changes that were acknowledged shortly before; on PostgreSQL set synchronous_standby_names, on SQL Server the availability mode SYNCHRONOUS_COMMIT; see docs/reliability.md")
}
