package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"path"
	"strings"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// pinger is what a pool does for this package.
type pinger interface {
	PingContext(ctx context.Context) error
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// statement is the text of a statement of the folder doctor. They have no
// parameters.
func (d *Doctor) statement(name string) string {
	text, err := sqlfiles.Files.ReadFile(path.Join(string(d.o.Driver), "doctor", name+".sql"))
	if err != nil {
		panic(err) // a test runs all of them
	}
	// To SQLite's driver anything behind the semicolon is a second statement.
	return strings.TrimSpace(string(text))
}

// ask runs a statement and hands each of its rows to scan. Its error shows no
// password.
func (d *Doctor) ask(ctx context.Context, name string, scan func(*sql.Rows) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("ask for %s: %w", name, database.Redact(err, d.o.DSN))
		}
	}()
	rows, err := d.db.Load().QueryContext(ctx, d.statement(name))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// unanswered is the result of a check whose question failed.
func (d *Doctor) unanswered(ctx context.Context, err error) []Result {
	found, advice := explain(ctx, d.o.Driver, d.o.DSN, err)
	return fault(found, advice)
}
