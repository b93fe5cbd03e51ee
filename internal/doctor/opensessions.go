package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/workqueue"
)

// leastOpen is how long a transaction must have been open to be reported: those of Botwork end
// sooner.
const leastOpen = 5 * time.Second

// openSessions reports which sessions of PostgreSQL hold rows of items in an open transaction.
func (d *Doctor) openSessions(ctx context.Context) []Result {
	var found []workqueue.RowHolder
	unseen := 0 // sessions of which this login may not see since when
	err := d.query(ctx, "stalled", func(rows *sql.Rows) error {
		var h workqueue.RowHolder
		var openMs *int64
		var statement *string
		if err := rows.Scan(&h.Session, &h.Host, &h.Program, &h.Login, &h.Transaction, &openMs, &statement); err != nil {
			return err
		}
		if openMs == nil {
			unseen++
			return nil
		}
		h.Open = time.Duration(*openMs) * time.Millisecond
		if statement != nil {
			h.Statement = workqueue.PlainStatement(*statement)
		}
		if h.Open >= leastOpen {
			found = append(found, h)
		}
		return nil
	})
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	return evaluateOpenSessions(serverOf(d.o.Driver, d.o.DSN).user, found, unseen)
}

func evaluateOpenSessions(user string, found []workqueue.RowHolder, unseen int) []Result {
	var results []Result
	for _, h := range found {
		results = append(results, Result{State: Warning, Found: h.String() + "; workers pass over these items, and commands that change them wait",
			Advice: fmt.Sprintf("commit or roll back the transaction in that program; `SELECT pg_terminate_backend(%d)` ends the session", h.Session)})
	}
	switch {
	case len(results) > 0:
		return results
	case unseen > 0:
		if user == "" {
			user = "the service's login"
		}
		return ok(fmt.Sprintf("%d sessions of other logins hold rows of items, and this login may not see for how long; `GRANT pg_read_all_stats TO %s` lets it", unseen, user))
	}
	return ok("no session holds rows of items for long")
}
