package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"botwork/workqueue"
)

// sessionRight is a right to see or end the sessions of other logins.
type sessionRight struct {
	name string
	has  bool
}

// stalledSession is a session that hangs in a transaction: of this program, or of another
// program with a transaction on its tables, such as a tool of a user.
type stalledSession struct {
	workqueue.StalledSession
	ours bool
}

// stalled reports which sessions of SQL Server hang in a transaction, and whether a worker with
// this login can end them.
func (d *Doctor) stalled(ctx context.Context) []Result {
	var rights []sessionRight
	err := d.query(ctx, "session_rights", func(rows *sql.Rows) error {
		var r sessionRight
		err := rows.Scan(&r.name, &r.has)
		rights = append(rights, r)
		return err
	})
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	var found []stalledSession
	if len(rights) > 0 && rights[0].has {
		err = d.query(ctx, "stalled", func(rows *sql.Rows) error {
			var s stalledSession
			var seconds int64
			err := rows.Scan(&s.ID, &s.Host, &s.Program, &s.PID, &s.Login, &s.ours, &s.HasAssignment, &seconds)
			s.Unchanged = time.Duration(seconds) * time.Second
			found = append(found, s)
			return err
		})
	}
	if ms, ok := errors.AsType[mssql.Error](err); ok && ms.Number == 208 {
		return skipped("the server has no views of sessions and locks")
	}
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	return evaluateStalled(serverOf(d.o.Driver, d.o.DSN).user, rights, found)
}

// evaluateStalled reports stalled sessions, and which rights the login lacks to find and end them.
func evaluateStalled(user string, rights []sessionRight, found []stalledSession) []Result {
	var lacks []string
	for _, r := range rights {
		if !r.has {
			lacks = append(lacks, r.name)
		}
	}
	var results []Result
	for _, s := range found {
		advice := fmt.Sprintf("commit or close the open transaction in that program; `KILL %d` ends the session", s.ID)
		switch {
		case s.ours && len(lacks) > 0:
			advice = fmt.Sprintf("check whether that process is suspended; `KILL %d` ends the session; workers can end such sessions after %s", s.ID, grantToLogin(user, lacks))
		case s.ours:
			advice = fmt.Sprintf("check whether that process is suspended; another worker ends the session after two to three leases; `KILL %d` ends it now", s.ID)
		}
		results = append(results, Result{State: Warning, Found: s.String(), Advice: advice})
	}
	switch {
	case len(results) > 0:
		return results
	case len(lacks) > 0:
		return ok("none were found, but this login lacks " + strings.Join(lacks, " and ") + ": if a worker is suspended in a transaction, " +
			"the others wait until an administrator ends its session; after " + grantToLogin(user, lacks) + " workers can end such sessions")
	}
	return ok("none; workers may see and end sessions that hang in a transaction")
}

// grantToLogin returns the statement that grants a login rights on the server, or on a
// database of Azure SQL.
func grantToLogin(user string, rights []string) string {
	if user == "" {
		user = "the service's login"
	}
	return "`GRANT " + strings.Join(rights, ", ") + " TO " + bracketed(user) + "`"
}
