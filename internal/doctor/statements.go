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

// pinger is the part of a connection pool that this package uses.
type pinger interface {
	PingContext(ctx context.Context) error
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// statement returns the text of a statement of the folder doctor. These statements have no
// parameters.
func (d *Doctor) statement(name string) string {
	text, err := sqlfiles.Files.ReadFile(path.Join(string(d.o.Driver), "doctor", name+".sql"))
	if err != nil {
		panic(err) // a test runs all of them
	}
	// SQLite's driver treats anything after the semicolon as a second statement.
	return strings.TrimSpace(string(text))
}

// query runs a statement and calls scan for each row. Its error contains no
// password.
func (d *Doctor) query(ctx context.Context, name string, scan func(*sql.Rows) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("query %s: %w", name, database.Redact(err, d.o.DSN))
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

// queryFailed returns the result of a check whose query failed.
func (d *Doctor) queryFailed(ctx context.Context, err error) []Result {
	found, advice := explain(ctx, d.o.Driver, d.o.DSN, err)
	return fault(found, advice)
}
