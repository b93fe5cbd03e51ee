package doctor_test

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"botwork/internal/database"
	"botwork/internal/doctor"
	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
)

// postgres is the engine, or skips the test.
func postgres(t *testing.T) testdb.Engine {
	t.Helper()
	for _, e := range testdb.Engines {
		if e.Driver == database.Postgres {
			if os.Getenv(e.Server) == "" {
				t.Skipf("%s is not set", e.Server)
			}
			return e
		}
	}
	t.Fatal("PostgreSQL is not one of the engines")
	return testdb.Engine{}
}

// as returns a DSN with a changed part.
func as(t *testing.T, dsn string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// A real role with fewer rights.
func TestRightsOnPostgres(t *testing.T) {
	e := postgres(t)
	dsn := e.DSN(t)
	e.Open(t, dsn)
	db := e.SQL(t, dsn)
	role := "botwork_test_" + strings.ToLower(rand.Text()[:12])
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	schema := u.Query().Get("search_path")
	exec(t, db, `CREATE ROLE `+role+` LOGIN`)
	t.Cleanup(func() {
		for _, statement := range []string{`DROP OWNED BY ` + role, `DROP ROLE ` + role} {
			if _, err := db.ExecContext(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	})
	limited := optionsFor(t, e.Driver, as(t, dsn, func(u *url.URL) { u.User = url.UserPassword(role, "hunter2") }))

	// It cannot see the tables.
	want(t, examine(t, limited), "schema", doctor.Warning, "or this login may not see them")
	want(t, examine(t, limited), "rights", doctor.Fault, "CREATE on schema (none of the search path)")

	exec(t, db, `GRANT USAGE ON SCHEMA `+schema+` TO `+role)
	found := examine(t, limited)
	want(t, found, "schema", doctor.Fault, "may not do this", "goose_db_version")
	want(t, found, "rights", doctor.Skipped, "because schema is at fault")

	exec(t, db, `GRANT SELECT ON ALL TABLES IN SCHEMA `+schema+` TO `+role)
	exec(t, db, `GRANT INSERT, UPDATE ON "BotBatches" TO `+role)
	want(t, examine(t, limited), "rights", doctor.Fault, "DELETE on BotBatches;", "DELETE, INSERT, UPDATE on BotDurations", "IN SCHEMA \""+schema+"\"", `TO "`+role+`"`)

	exec(t, db, `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA `+schema+` TO `+role)
	want(t, examine(t, limited), "rights", doctor.OK, "the login may not change the schema")

	exec(t, db, `DELETE FROM goose_db_version WHERE version_id = 11`)
	want(t, examine(t, limited), "rights", doctor.Fault, "1 migration is pending", "ownership on BotBatches")
}

func TestPostgresRefusesConnections(t *testing.T) {
	e := postgres(t)
	server := os.Getenv(e.Server)
	o := optionsFor(t, e.Driver, as(t, server, func(u *url.URL) { u.Path, u.User = "/botwork_no_such", url.UserPassword("postgres", "hunter2") }))
	found := examine(t, o)
	want(t, found, "database", doctor.Fault, `no database "botwork_no_such"`, "CREATE DATABASE")
	want(t, found, "schema", doctor.Skipped, "because database is at fault")
	want(t, found, "workers", doctor.Skipped, "because schema was not checked")
	want(t, found, "folders", doctor.OK)

	o.DSN = as(t, server, func(u *url.URL) { u.User = url.UserPassword("botwork_nobody", "hunter2") })
	want(t, examine(t, o), "database", doctor.Fault, `does not allow "botwork_nobody" to connect`, "pg_hba.conf")

	o.DSN = as(t, server, func(u *url.URL) {
		u.RawQuery += "&default_transaction_read_only=on"
	})
	want(t, examine(t, o), "version", doctor.Fault, "read-only")
}

// listen starts a server on this machine, which calls serve for each connection.
func listen(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return l.Addr().String()
}

// The server of the tests does not require a password, so this test has a server that answers as
// PostgreSQL does when it rejects a password.
func TestWrongPassword(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		defer conn.Close()
		backend := pgproto3.NewBackend(conn, conn)
		if _, err := backend.ReceiveStartupMessage(); err != nil {
			return
		}
		backend.Send(&pgproto3.AuthenticationCleartextPassword{})
		if err := backend.Flush(); err != nil {
			return
		}
		if _, err := backend.Receive(); err != nil {
			return
		}
		backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "bot"`})
		_ = backend.Flush()
	})
	o := optionsFor(t, database.Postgres, "postgres://bot:hunter2@"+address+"/work?sslmode=disable")
	want(t, examine(t, o), "database", doctor.Fault, `login "bot" failed`)
}

func TestUnreachableServers(t *testing.T) {
	silent := listen(t, func(conn net.Conn) {
		buffer := make([]byte, 1024)
		for {
			if _, err := conn.Read(buffer); err != nil {
				_ = conn.Close()
				return
			}
		}
	})
	closed := faultproxy.FreeAddress(t)
	for driver, dsn := range map[database.Driver]string{
		database.Postgres: "postgres://bot:hunter2@%/work?sslmode=disable", database.SQLServer: "sqlserver://bot:hunter2@%?database=work&encrypt=disable",
	} {
		t.Run(string(driver), func(t *testing.T) {
			o := optionsFor(t, driver, strings.Replace(dsn, "%", closed, 1))
			_, port, _ := net.SplitHostPort(closed)
			want(t, examine(t, o), "database", doctor.Fault, "nothing listens on port "+port)
			o.Connections = []doctor.Connection{{Name: "erp", Driver: driver, DSN: o.DSN}}
			o.DSN = strings.Replace(dsn, "%", silent, 1)
			started := time.Now()
			found := examineWithin(t, o, 300*time.Millisecond)
			want(t, found, "database", doctor.Fault, silent+" did not answer in time")
			want(t, found, "connections", doctor.Warning, "nothing listens on port", "steps that use it fail")
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("took %s with a timeout of 300ms", took)
			}
		})
	}
}

// The server's own connections are no pooler's.
func TestPoolerOnPostgres(t *testing.T) {
	e := postgres(t)
	dsn := e.DSN(t)
	e.Open(t, dsn)
	db := e.SQL(t, dsn)
	if pooled, err := database.ThroughPooler(t.Context(), db); err != nil || pooled {
		t.Errorf("ThroughPooler of a direct connection = %v, %v, want false", pooled, err)
	}
}
