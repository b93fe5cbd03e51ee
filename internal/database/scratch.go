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
)

// Scratch makes an empty place on the server of a DSN and returns the DSN of
// that place and how to remove it: a schema on PostgreSQL, a database on SQL
// Server, a file in a temporary folder for SQLite, whatever its DSN. Names
// begin with the prefix, which is a lower-case word.
func Scratch(ctx context.Context, driver Driver, dsn, prefix string) (scratch string, remove func(context.Context) error, err error) {
	name := prefix + "_" + strings.ToLower(rand.Text()[:12])
	var create, drop, key string
	switch driver {
	case SQLite:
		dir, err := os.MkdirTemp("", name)
		return filepath.Join(dir, "scratch.db"), func(context.Context) error { return os.RemoveAll(dir) }, err
	case Postgres:
		create, drop, key = "CREATE SCHEMA "+name, "DROP SCHEMA "+name+" CASCADE", "search_path"
	case SQLServer:
		create, drop, key = "CREATE DATABASE "+name, "DROP DATABASE "+name, "database"
	default:
		_, err := ParseDriver(string(driver))
		return "", nil, err
	}
	if err := administer(ctx, driver, dsn, create); err != nil {
		return "", nil, err
	}
	return withParameter(dsn, key, name), func(ctx context.Context) error { return administer(ctx, driver, dsn, drop) }, nil
}

func administer(ctx context.Context, driver Driver, dsn, statement string) error {
	db, err := Open(driver, dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s: %w", statement, Redact(err, dsn))
	}
	return nil
}

// withParameter sets a parameter of a URL, or of a list of key=value pairs.
func withParameter(dsn, key, value string) string {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" && strings.Contains(dsn, "://") {
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	sep := " "
	if strings.Contains(dsn, ";") {
		sep = ";"
	}
	return strings.TrimRight(dsn, "; ") + sep + key + "=" + value
}
