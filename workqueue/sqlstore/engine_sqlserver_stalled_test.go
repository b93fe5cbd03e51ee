package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	sqlfiles "botwork/sql"
	"botwork/workqueue"
)

// sessionServer is a SQL Server that lists one session.
type sessionServer struct {
	azureServer
	done   string // changes when the session does something
	poll   error
	kill   error
	killed []string
}

func (s *sessionServer) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *sessionServer) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &sessionRows{s: s}, s.poll
}

func (s *sessionServer) ExecContext(_ context.Context, statement string, _ []driver.NamedValue) (driver.Result, error) {
	s.killed = append(s.killed, statement)
	return driver.RowsAffected(0), s.kill
}

type sessionRows struct {
	s    *sessionServer
	read bool
}

func (r *sessionRows) Columns() []string {
	return strings.Split("id done host program pid login lock", " ")
}
func (r *sessionRows) Close() error { return nil }
func (r *sessionRows) Next(dest []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	copy(dest, []driver.Value{int64(57), r.s.done, "LAPTOP", "botwork", int64(1234), "svc", true})
	return nil
}

func TestStalledSessionsAreEnded(t *testing.T) {
	const lease = time.Minute
	open := func(t *testing.T, server *sessionServer) *Store {
		db := sql.OpenDB(server)
		t.Cleanup(func() { db.Close() })
		q, err := loadQueries(sqlfiles.Files, &sqlServerDialect, "queries", db)
		if err != nil {
			t.Fatal(err)
		}
		return newStore(&connection{engine: &sqlServerEngine{}, db: db, queries: q})
	}
	run := func(name string, server sessionServer, test func(t *testing.T, server *sessionServer, poll func() []workqueue.StalledSession)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, &server)
				test(t, &server, func() []workqueue.StalledSession {
					t.Helper()
					found, err := s.EndStalledSessions(t.Context(), 2*lease)
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(lease)
					return found
				})
				s.db.Close()
			})
		})
	}

	run("after two leases", sessionServer{done: "a"}, func(t *testing.T, server *sessionServer, poll func() []workqueue.StalledSession) {
		if first, second := poll(), poll(); len(first)+len(second)+len(server.killed) > 0 {
			t.Fatalf("the session was ended after one lease: %v, %v, %q", first, second, server.killed)
		}
		got := poll()
		if len(got) != 1 || !got[0].Ended || got[0].Unchanged != 2*lease || len(server.killed) != 1 || server.killed[0] != "KILL 57" {
			t.Fatalf("EndStalledSessions = %+v after %q, want the session, ended by KILL 57", got, server.killed)
		}
		const want = `session 57 of botwork, process 1234 on host "LAPTOP", login svc, holds the assignment lock and has done nothing for 2m0s`
		if got[0].String() != want {
			t.Errorf("the session is shown as\n     %s\nwant %s", got[0], want)
		}
	})
	run("not an active session", sessionServer{done: "a"}, func(t *testing.T, server *sessionServer, poll func() []workqueue.StalledSession) {
		for i := range 6 {
			server.done = strings.Repeat("b", i/2)
			if got := poll(); len(got) > 0 {
				t.Fatalf("a session that does something each minute was ended: %v", got)
			}
		}
	})
	run("without the permission", sessionServer{done: "a", kill: mssql.Error{Number: mayNotKill}}, func(t *testing.T, _ *sessionServer, poll func() []workqueue.StalledSession) {
		poll()
		poll()
		for range 2 {
			if got := poll(); len(got) != 1 || got[0].Ended || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "ALTER ANY CONNECTION") {
				t.Errorf("EndStalledSessions = %+v, want it to name the missing permission", got)
			}
		}
	})
	run("already ended", sessionServer{done: "a", kill: mssql.Error{Number: noSuchSession}}, func(t *testing.T, _ *sessionServer, poll func() []workqueue.StalledSession) {
		poll()
		poll()
		if got := poll(); len(got) > 0 {
			t.Errorf("EndStalledSessions = %+v, want none", got)
		}
	})
	run("a server without such views", sessionServer{poll: mssql.Error{Number: noSuchObject}}, func(t *testing.T, _ *sessionServer, poll func() []workqueue.StalledSession) {
		if got := poll(); len(got) > 0 {
			t.Errorf("EndStalledSessions = %+v, want none", got)
		}
	})

	denied := &sessionServer{poll: mssql.Error{Number: 300, Message: "VIEW SERVER STATE permission was denied on object 'server', database 'master'."}}
	if _, err := open(t, denied).EndStalledSessions(t.Context(), lease); err == nil || !strings.Contains(err.Error(), "VIEW SERVER STATE") {
		t.Errorf("without the permission to read sessions: %v, want an error that names it", err)
	}
}
