package sqlstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// A process that is suspended during an assignment pass must not keep the lock: the server ends
// its session, and its pass runs again when it resumes.
func TestStalledPassLosesLock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL itself ends sessions that stall in a transaction")
		}
		dsn := e.DSN(t)
		sep := " "
		if strings.Contains(dsn, "://") {
			sep = "&"
		}
		stalled, other := e.Open(t, dsn+sep+"idle_in_transaction_session_timeout=200"), e.Open(t, dsn)
		passes := 0
		err := stalled.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			passes++
			if passes == 1 {
				if err := other.Assign(ctx, func(context.Context, workqueue.AssignTx) error { return nil }); err != nil {
					t.Errorf("another pass while the first one stalls = %v, want nil", err)
				}
			}
			_, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
			return err
		})
		if err != nil || passes != 2 {
			t.Errorf("Assign = %v after %d passes, want nil after a second one", err, passes)
		}
	})
}

// On SQL Server the other workers end the session of a suspended process that holds the
// assignment lock.
func TestStalledSessionIsEnded(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.SQLServer {
			t.Skip("SQLite has no sessions, and PostgreSQL ends them itself")
		}
		dsn := e.DSN(t)
		other, suspended := e.Open(t, dsn), e.SQL(t, dsn)
		if _, err := suspended.ExecContext(t.Context(), `SELECT 1 FROM sys.dm_tran_locks WHERE 1 = 0`); err != nil {
			t.Skip("this server has no view of its locks, or the login has no permission to read it: ", err)
		}
		conn, err := suspended.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		const lock = `BEGIN TRANSACTION; EXEC sp_getapplock @Resource = N'botwork.assignment', @LockMode = N'Exclusive', @LockOwner = N'Transaction'`
		if _, err := conn.ExecContext(t.Context(), lock); err != nil {
			t.Fatal(err)
		}
		if early, err := other.EndStalledSessions(t.Context(), time.Hour); err != nil || len(early) > 0 {
			t.Fatalf("the first call ended %v, %v, want none", early, err)
		}
		ended, err := other.EndStalledSessions(t.Context(), 0)
		if err != nil || len(ended) != 1 {
			t.Fatalf("the second call ended %v, %v, want the session", ended, err)
		}
		if s := ended[0]; !s.Ended && s.Err != nil {
			t.Skip("the login has no permission to end sessions: ", s.Err)
		}
		if s := ended[0]; !s.HasAssignment || s.Program != "botwork" || s.Host == "" {
			t.Errorf("the session is %s, want its host, the program botwork and the assignment lock", s)
		}
		if err := other.Assign(t.Context(), func(context.Context, workqueue.AssignTx) error { return nil }); err != nil {
			t.Errorf("a pass afterwards = %v, want nil", err)
		}
	})
}
