// Package testdb provides tests with an empty database of every available engine:
// SQLite always; PostgreSQL and SQL Server if BOTWORK_TEST_POSTGRES_DSN and
// BOTWORK_TEST_SQLSERVER_DSN name a server on which databases or schemas may
// be created and dropped. docs/sqlserver.md lists all variables.
package testdb

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// Engine is a kind of database that tests can run on.
type Engine struct {
	Driver database.Driver

	// Server is the environment variable with the DSN of the server; "" for SQLite.
	Server string
}

// Engines lists all engines. Use Each, which skips those that are not available.
var Engines = []Engine{
	{Driver: database.SQLite},
	{Driver: database.Postgres, Server: "BOTWORK_TEST_POSTGRES_DSN"},
	{Driver: database.SQLServer, Server: "BOTWORK_TEST_SQLSERVER_DSN"},
}

// Each runs a subtest for every engine, with the name of its driver. An engine that
// is not available is skipped with the reason.
func Each(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range Engines {
		t.Run(string(e.Driver), func(t *testing.T) {
			if e.Server != "" && os.Getenv(e.Server) == "" {
				t.Skipf("%s is not set", e.Server)
			}
			test(t, e)
		})
	}
}

// DSN creates an empty database (or schema) and returns its DSN. It is dropped
// when the test ends.
func (e Engine) DSN(t testing.TB) string {
	t.Helper()
	if e.Driver == database.SQLite {
		return filepath.Join(t.TempDir(), "botwork.db")
	}
	dsn, remove, err := database.Scratch(context.Background(), e.Driver, os.Getenv(e.Server), "botwork_test")
	if err != nil {
		t.Fatal(err)
	}
	if on := os.Getenv(RowVersionsVariable); on != "" && e.Driver == database.SQLServer {
		if err := setRowVersions(t, dsn, on); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := remove(context.Background()); err != nil {
			t.Logf("not removed: %v", err)
		}
	})
	return dsn
}

// Open opens a migrated store on a DSN and closes it when the test ends.
func (e Engine) Open(t testing.TB, dsn string) *sqlstore.Store {
	t.Helper()
	ctx := context.Background()
	Prepare(t, e.Driver, dsn)
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(e.Driver), DSN: Unsynced(e.Driver, dsn)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}

// SQL opens a plain connection pool on a DSN, for tests that change rows by hand.
// Quoted names ("BotWorkQueueItems") work on every engine.
func (e Engine) SQL(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := database.Open(e.Driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
