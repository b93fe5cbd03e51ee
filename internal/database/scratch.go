package database

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

// turnWait limits the wait for a server that creates only one database at a time,
// leaveWait the wait for sessions that are still ending.
const turnWait, leaveWait = 2 * time.Minute, 10 * time.Second

// Scratch creates an empty schema on PostgreSQL, an empty database on SQL Server, or a
// file in a temporary folder for SQLite, on the server of a DSN. It returns a DSN for it
// and a function that removes it. Names start with prefix, which is a lowercase word.
func Scratch(ctx context.Context, driver Driver, dsn, prefix string) (scratch string, remove func(context.Context) error, err error) {
	name := prefix + "_" + strings.ToLower(rand.Text()[:12])
	var create, key string
	var drop []string
	switch driver {
	case SQLite:
		dir, err := os.MkdirTemp("", name)
		return filepath.Join(dir, "scratch.db"), func(context.Context) error { return os.RemoveAll(dir) }, err
	case Postgres:
		create, drop, key = "CREATE SCHEMA "+name, []string{"DROP SCHEMA " + name + " CASCADE"}, "search_path"
	case SQLServer:
		// Open sessions would prevent the drop. Servers that cannot end them (Azure SQL,
		// Babelfish) reject only the first statement.
		create, drop, key = "CREATE DATABASE "+name, []string{
			"ALTER DATABASE " + name + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE", "DROP DATABASE " + name,
		}, "database"
	default:
		_, err := ParseDriver(string(driver))
		return "", nil, err
	}
	err = patiently(ctx, turnWait, notYet, func() error { return administer(ctx, driver, dsn, create) })
	if err != nil {
		return "", nil, err
	}
	remove = func(ctx context.Context) error {
		return patiently(ctx, leaveWait, inUse, func() error { return administer(ctx, driver, dsn, drop...) })
	}
	return withParameter(driver, dsn, key, name), remove, nil
}

// InSchema returns the DSN of a PostgreSQL database with another schema.
func InSchema(dsn, schema string) string { return withParameter(Postgres, dsn, "search_path", schema) }

// patiently repeats do while its error is temporary.
func patiently(ctx context.Context, most time.Duration, mends func(error) bool, do func() error) error {
	for end := time.Now().Add(most); ; {
		err := do()
		if err == nil || !mends(err) || time.Now().After(end) {
			return err
		}
		timer := time.NewTimer(200 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// notYet reports whether a server cannot create a database at the moment: SQL Server
// copies its model database for one at a time, and Babelfish has a mode with only one
// database.
func notYet(err error) bool {
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && (ms.Number == 1807 || strings.Contains(ms.Message, "single-db mode"))
}

// inUse reports whether the database still has sessions.
func inUse(err error) bool {
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && (ms.Number == 3702 || strings.Contains(ms.Message, "currently in use"))
}

// administer runs statements one by one. Only the last statement must succeed.
func administer(ctx context.Context, driver Driver, dsn string, statements ...string) error {
	db, err := Open(driver, dsn)
	if err != nil {
		return err
	}
	var last string
	for _, last = range statements {
		_, err = db.ExecContext(ctx, last)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s: %w", last, Redact(err, dsn))
	}
	return nil
}

// withParameter sets a parameter in a URL or in a list of key=value pairs, in which the
// last value of a key wins.
func withParameter(driver Driver, dsn, key, value string) string {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" && strings.Contains(dsn, "://") {
		q := u.Query()
		for name := range q {
			// SQL Server's driver rejects a second spelling of a name.
			if strings.EqualFold(name, key) {
				q.Del(name)
			}
		}
		q.Set(key, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	sep := " "
	if driver == SQLServer {
		sep = ";"
	}
	return strings.TrimRight(dsn, "; ") + sep + key + "=" + value
}
