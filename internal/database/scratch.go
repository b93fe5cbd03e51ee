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

// turnWait bounds the wait for a server that makes one database at a time, and
// leaveWait that for sessions which have ended but are not gone yet.
const turnWait, leaveWait = 2 * time.Minute, 10 * time.Second

// Scratch makes an empty place on the server of a DSN and returns the DSN of
// that place and how to remove it: a schema on PostgreSQL, a database on SQL
// Server, a file in a temporary folder for SQLite, whatever its DSN. Names
// begin with the prefix, which is a lower-case word.
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
		// What is still connected would refuse the drop. Servers that cannot
		// end it (Azure SQL, Babelfish) refuse the first statement instead.
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

// InSchema is the DSN of a PostgreSQL database with another schema.
func InSchema(dsn, schema string) string { return withParameter(Postgres, dsn, "search_path", schema) }

// patiently repeats do while its error is one that waiting fixes.
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

// notYet reports whether a server cannot create a database now: SQL Server copies its model for
// one at a time, and Babelfish has a mode with one database in all.
func notYet(err error) bool {
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && (ms.Number == 1807 || strings.Contains(ms.Message, "single-db mode"))
}

// inUse reports whether sessions in the database have not ended yet.
func inUse(err error) bool {
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && (ms.Number == 3702 || strings.Contains(ms.Message, "currently in use"))
}

// administer runs statements one by one. Only the last must succeed.
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

// withParameter sets a parameter of a URL, or of a list of key=value pairs,
// where the last one of a name counts.
func withParameter(driver Driver, dsn, key, value string) string {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" && strings.Contains(dsn, "://") {
		q := u.Query()
		for name := range q {
			// SQL Server's driver refuses a second spelling of a name.
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
