// Package testdb gives tests an empty database of every engine that is there:
// SQLite always; PostgreSQL and SQL Server where BOTWORK_TEST_POSTGRES_DSN and
// BOTWORK_TEST_SQLSERVER_DSN name a server on which databases or schemas may
// be made and dropped.
package testdb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// Engine is a kind of database that tests can run on.
type Engine struct {
	Driver database.Driver

	env string // names the server; "" for SQLite
}

// Engines lists all engines. Use Each, which skips those that are not there.
var Engines = []Engine{
	{Driver: database.SQLite},
	{Driver: database.Postgres, env: "BOTWORK_TEST_POSTGRES_DSN"},
	{Driver: database.SQLServer, env: "BOTWORK_TEST_SQLSERVER_DSN"},
}

// Each runs a subtest for every engine, named like its driver. An engine that
// is not there is skipped with the reason.
func Each(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range Engines {
		t.Run(string(e.Driver), func(t *testing.T) {
			if e.env != "" && os.Getenv(e.env) == "" {
				t.Skipf("%s is not set", e.env)
			}
			test(t, e)
		})
	}
}

// DSN makes an empty database (or schema) and returns its DSN. It is dropped
// when the test ends.
func (e Engine) DSN(t testing.TB) string {
	t.Helper()
	name := "botwork_test_" + strings.ToLower(rand.Text()[:12])
	switch e.Driver {
	case database.Postgres:
		server := os.Getenv(e.env)
		admin(t, e.Driver, server, `CREATE SCHEMA `+name, `DROP SCHEMA `+name+` CASCADE`)
		return withQuery(t, server, "search_path", name)
	case database.SQLServer:
		server := os.Getenv(e.env)
		admin(t, e.Driver, server, `CREATE DATABASE `+name, `DROP DATABASE `+name)
		return withQuery(t, server, "database", name)
	default:
		return filepath.Join(t.TempDir(), "botwork.db")
	}
}

// Open opens a migrated store on a DSN and closes it when the test ends.
func (e Engine) Open(t testing.TB, dsn string) *sqlstore.Store {
	t.Helper()
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: e.Driver, DSN: dsn})
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

// SQL opens a plain connection pool on a DSN, for tests that write by hand.
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

// admin runs one statement now and one when the test ends.
func admin(t testing.TB, driver database.Driver, dsn, now, later string) {
	t.Helper()
	run := func(statement string) error {
		db, err := database.Open(driver, dsn)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.ExecContext(context.Background(), statement)
		return err
	}
	if err := run(now); err != nil {
		t.Fatalf("%s: %v", now, err)
	}
	t.Cleanup(func() {
		if err := run(later); err != nil {
			t.Logf("%s: %v", later, err)
		}
	})
}

// withQuery sets a parameter of a URL DSN, or appends key=value to another.
func withQuery(t testing.TB, dsn, key, value string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" || u.Host == "" && u.RawQuery == "" {
		sep := " "
		if strings.Contains(dsn, ";") {
			sep = ";"
		}
		return fmt.Sprintf("%s%s%s=%s", strings.TrimRight(dsn, "; "), sep, key, value)
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}
