package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// epochIsNews is how long after an epoch was raised that is reported.
const epochIsNews = 7 * 24 * time.Hour

// history reports whether the database may have lost transactions lately.
func (d *Doctor) history(ctx context.Context) []Result {
	var epoch, ms int64
	var reason string
	err := d.ask(ctx, "history", func(rows *sql.Rows) error { return rows.Scan(&epoch, &ms, &reason) })
	if err != nil {
		return d.unanswered(ctx, err)
	}
	return judgeHistory(epoch, time.Duration(ms)*time.Millisecond, reason)
}

// judgeHistory judges an epoch that was raised so long ago; below 0: never.
func judgeHistory(epoch int64, ago time.Duration, reason string) []Result {
	switch {
	case ago < 0:
		return ok("the database has lost nothing that anybody knows of")
	case ago >= epochIsNews:
		return ok(fmt.Sprintf("epoch %d for %d days", epoch, int(ago.Hours()/24)))
	}
	return warning(fmt.Sprintf("epoch %d began %s ago, because %s", epoch, ago.Round(time.Second), reason),
		"look for items that were added, and results that were written, shortly before: some may be gone; docs/reliability.md says which")
}

// standby is a server that may become the primary.
type standby struct {
	name string
	sync sql.NullBool // a commit waits for it; NULL: the login may not see that
}

// replication reports whether a failover can lose what was acknowledged.
func (d *Doctor) replication(ctx context.Context) []Result {
	var all []standby
	err := d.ask(ctx, "replication", func(rows *sql.Rows) error {
		var s standby
		var name sql.NullString
		err := rows.Scan(&name, &s.sync)
		s.name = name.String
		all = append(all, s)
		return err
	})
	if err != nil {
		return skipped("the server does not say which standbys it has: " + err.Error())
	}
	return judgeReplication(all)
}

// judgeReplication judges the standbys of a server.
func judgeReplication(all []standby) []Result {
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
		"a failover to it loses what was acknowledged shortly before; on PostgreSQL set synchronous_standby_names, on SQL Server the availability mode SYNCHRONOUS_COMMIT; docs/reliability.md")
}
