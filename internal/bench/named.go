package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"botwork/internal/database"
)

// ErrHoldsItems reports that the named schema or file contains items.
var ErrHoldsItems = errors.New("holds items, which would be removed; --yes removes them")

// named prepares the schema or file that In names: it empties it now, and remove empties
// it again. It returns an error if there are tables that are not Botwork's, if there are
// items and Yes is not set, or if it is the configured queue itself.
func (c Common) named(ctx context.Context) (dsn string, remove func(context.Context) error, err error) {
	switch c.Driver {
	case database.SQLite:
		dsn, remove, err = c.namedFile(ctx)
	case database.Postgres:
		dsn, remove, err = c.namedSchema(ctx)
	default:
		err = errors.New("only a schema of PostgreSQL or a file of SQLite can be used")
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", c.In, err)
	}
	return dsn, remove, nil
}

func (c Common) namedFile(ctx context.Context) (string, func(context.Context) error, error) {
	configured, _, _ := strings.Cut(strings.TrimPrefix(c.DSN, "file:"), "?")
	if sameFile(configured, c.In) {
		return "", nil, errors.New("is the configured database itself: name another file")
	}
	clear := func(context.Context) error {
		var errs []error
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(c.In + end); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}
	if _, err := os.Stat(c.In); err == nil {
		if err := c.mayClear(ctx, database.OpenReadOnly, c.In, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`); err != nil {
			return "", nil, err
		}
		if err := clear(ctx); err != nil {
			return "", nil, err
		}
	}
	return c.withSync(c.In), clear, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err == nil {
		second, err := os.Stat(b)
		return err == nil && os.SameFile(first, second)
	}
	one, errA := filepath.Abs(a)
	two, errB := filepath.Abs(b)
	return errA == nil && errB == nil && one == two
}

// schemaName matches names that need no quotes in SQL or in a DSN.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

func (c Common) namedSchema(ctx context.Context) (string, func(context.Context) error, error) {
	if !schemaName.MatchString(c.In) {
		return "", nil, errors.New("is not a valid schema name: use lowercase letters, digits and underscores")
	}
	db, err := database.Open(c.Driver, c.DSN)
	if err != nil {
		return "", nil, err
	}
	defer db.Close()
	var current sql.NullString
	var there bool
	err = db.QueryRowContext(ctx, `SELECT current_schema(), EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, c.In).Scan(&current, &there)
	if err != nil {
		return "", nil, database.Redact(err, c.DSN)
	}
	if current.String == c.In {
		return "", nil, errors.New("is the schema of the configured database itself: name another one")
	}
	dsn := database.InSchema(c.DSN, c.In)
	if !there {
		if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+c.In); err != nil {
			return "", nil, err
		}
		return dsn, func(ctx context.Context) error { return c.do(ctx, c.DSN, "DROP SCHEMA "+c.In+" CASCADE") }, nil
	}
	const tables = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	const functions = `SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'Bot%'`
	if err := c.mayClear(ctx, database.Open, dsn, tables); err != nil {
		return "", nil, err
	}
	// The schema itself is not dropped, because the login may not have the right to
	// create it again.
	clear := func(ctx context.Context) error {
		names, err := c.names(ctx, database.Open, dsn, tables)
		for _, name := range names {
			err = errors.Join(err, c.do(ctx, dsn, `DROP TABLE "`+name+`" CASCADE`))
		}
		left, failed := c.names(ctx, database.Open, dsn, functions)
		for _, name := range left {
			failed = errors.Join(failed, c.do(ctx, dsn, `DROP FUNCTION "`+name+`"() CASCADE`))
		}
		return errors.Join(err, failed)
	}
	return dsn, clear, clear(ctx)
}

// mayClear checks whether the contents of a schema or file may be removed.
func (c Common) mayClear(ctx context.Context, open opener, dsn, tables string) error {
	names, err := c.names(ctx, open, dsn, tables)
	if err != nil {
		return err
	}
	queue := false
	for _, name := range names {
		queue = queue || name == "BotWorkQueueItems"
		if !strings.HasPrefix(name, "Bot") && name != "limit_items" && name != "goose_db_version" {
			return fmt.Errorf("has a table %q, which is not Botwork's: use a schema or file without other tables", name)
		}
	}
	if !queue || c.Yes {
		return nil
	}
	db, err := open(c.Driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 AS one FROM "BotWorkQueueItems" LIMIT 1) AS found`).Scan(&n)
	if err == nil && n > 0 {
		return ErrHoldsItems
	}
	return database.Redact(err, dsn)
}

// opener is database.Open or database.OpenReadOnly.
type opener func(database.Driver, string) (*sql.DB, error)

// names runs a query that returns names.
func (c Common) names(ctx context.Context, open opener, dsn, query string) ([]string, error) {
	db, err := open(c.Driver, dsn)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, database.Redact(err, dsn)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// do runs one statement.
func (c Common) do(ctx context.Context, dsn, statement string) error {
	db, err := database.Open(c.Driver, dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return errors.Join(database.Redact(err, dsn), db.Close())
}
