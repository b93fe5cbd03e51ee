package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"botwork/internal/database"
	"botwork/workqueue"
)

// sessions ends sessions of other processes that hold locks and do nothing.
type sessions struct {
	*connection
}

// Errors of SQL Server about views and sessions.
const (
	noSuchObject  = 208  // a server that speaks TDS but is not Microsoft's
	mayNotKill    = 6102 // not permitted to KILL
	noSuchSession = 6106
)

// stalledSessions are the sessions that were waiting for their client when the store last
// checked.
type stalledSessions struct {
	mu   sync.Mutex
	seen map[stalledKey]time.Time // guarded by mu: since when
}

// stalledKey changes whenever the session does anything.
type stalledKey struct {
	id   int64
	done string
}

// EndStalledSessions ends the sessions of Botwork processes that hold locks in a transaction
// and have done nothing for the time after. It returns them with the outcome. It compares with
// what earlier calls of this store saw, by the clock of this process, so the first call ends
// none. It does nothing on SQLite, which has no sessions, and on PostgreSQL, which ends such
// sessions itself. It needs the permissions VIEW SERVER STATE and ALTER ANY CONNECTION, on
// Azure SQL Database VIEW DATABASE STATE and KILL DATABASE CONNECTION.
func (s *sessions) EndStalledSessions(ctx context.Context, after time.Duration) ([]workqueue.StalledSession, error) {
	return s.engine.endStalled(ctx, s.connection, after)
}

func (e *sqlServerEngine) endStalled(ctx context.Context, s *connection, after time.Duration) ([]workqueue.StalledSession, error) {
	e.stalled.mu.Lock()
	defer e.stalled.mu.Unlock()
	var found []workqueue.StalledSession
	err := s.retry(ctx, "find stalled sessions", func() (err error) {
		found, err = e.stalledFor(ctx, s, after)
		return err
	})
	if ms, ok := errors.AsType[mssql.Error](err); ok && ms.Number == noSuchObject {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ended := found[:0]
	for _, session := range found {
		// Without checking again: a session that has continued meanwhile loses its transaction,
		// and its process retries it.
		_, err := s.db.ExecContext(ctx, fmt.Sprintf("KILL %d", session.ID))
		ms, _ := errors.AsType[mssql.Error](err)
		switch {
		case ms.Number == noSuchSession:
			continue
		case ms.Number == mayNotKill:
			session.Err = errors.New("the login lacks the permission to end it: ALTER ANY CONNECTION, or on Azure SQL Database KILL DATABASE CONNECTION")
		case err != nil:
			session.Err = database.Redact(err, s.dsn)
		default:
			session.Ended = true
		}
		ended = append(ended, session)
	}
	return ended, nil
}

// stalledFor returns the sessions that have done nothing for the time after, and records all of
// them for the next call. The caller holds the lock.
func (e *sqlServerEngine) stalledFor(ctx context.Context, s *connection, after time.Duration) ([]workqueue.StalledSession, error) {
	rows, err := s.queries.query(ctx, s.db, "stalled_sessions", nil)
	if err != nil {
		return nil, err
	}
	var found []workqueue.StalledSession
	seen := map[stalledKey]time.Time{}
	now := time.Now()
	err = eachRow(rows, func() error {
		var one workqueue.StalledSession
		var key stalledKey
		if err := rows.Scan(&key.id, &key.done, &one.Host, &one.Program, &one.PID, &one.Login, &one.HasAssignment); err != nil {
			return err
		}
		since, known := e.stalled.seen[key]
		if !known {
			since = now
		}
		seen[key] = since
		if one.ID, one.Unchanged = key.id, now.Sub(since); one.Unchanged >= after {
			found = append(found, one)
		}
		return nil
	})
	if err == nil {
		e.stalled.seen = seen
	}
	return found, err
}
