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

// stalledStatement is the file that lists sessions which wait for their client in the
// middle of a transaction. Only an engine that does not end them by itself has it.
const stalledStatement = "stalled_sessions"

// Errors of SQL Server about views and sessions.
const (
	noSuchObject  = 208  // a server that speaks TDS and is not Microsoft's
	mayNotKill    = 6102 // no right to KILL
	noSuchSession = 6106
)

// stalled is what a store remembers of the sessions that waited for their client when it
// looked last.
type stalled struct {
	mu   sync.Mutex
	seen map[stalledKey]time.Time // guarded by mu: since when
}

// stalledKey changes when a session does anything.
type stalledKey struct {
	id   int64
	done string
}

// EndStalledSessions ends the sessions of Botwork's processes that hold locks in a
// transaction and were seen to do nothing for the time after, and returns them with what came
// of it. It compares with what earlier calls of this store saw, by the clock of this
// process, so the first call ends none. SQLite has no sessions and PostgreSQL ends such
// ones itself; there it does nothing. It needs the rights VIEW SERVER STATE and ALTER ANY
// CONNECTION, on Azure SQL Database VIEW DATABASE STATE and KILL DATABASE CONNECTION.
func (s *Store) EndStalledSessions(ctx context.Context, after time.Duration) ([]workqueue.StalledSession, error) {
	if !s.queries.has(stalledStatement) {
		return nil, nil
	}
	s.stalled.mu.Lock()
	defer s.stalled.mu.Unlock()
	var found []workqueue.StalledSession
	err := s.retry(ctx, "look for stalled sessions", func() (err error) {
		found, err = s.stalledFor(ctx, after)
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
		// At once: a session that goes on in between loses its transaction, which its process
		// repeats.
		_, err := s.db.ExecContext(ctx, fmt.Sprintf("KILL %d", session.ID))
		ms, _ := errors.AsType[mssql.Error](err)
		switch {
		case ms.Number == noSuchSession:
			continue
		case ms.Number == mayNotKill:
			session.Err = errors.New("the login lacks the right to end it: ALTER ANY CONNECTION, on Azure SQL Database KILL DATABASE CONNECTION")
		case err != nil:
			session.Err = database.Redact(err, s.dsn)
		default:
			session.Ended = true
		}
		ended = append(ended, session)
	}
	return ended, nil
}

// stalledFor returns the sessions that have done nothing for so long, and remembers the
// others. The caller holds the lock.
func (s *Store) stalledFor(ctx context.Context, after time.Duration) ([]workqueue.StalledSession, error) {
	rows, err := s.queries.query(ctx, s.db, stalledStatement, nil)
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
		since, known := s.stalled.seen[key]
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
		s.stalled.seen = seen
	}
	return found, err
}
