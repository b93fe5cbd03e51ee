package testdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// schema is the SQL of a migrated SQLite database, with the records of the migrations
// and the rows that they insert. Executing it takes a tenth of the time of the
// migrations, on which tests with their own database would otherwise spend most of
// their time.
var schema = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "botwork-schema-")
	if err != nil {
		return "", err
	}
	text, err := dump(context.Background(), filepath.Join(dir, "botwork.db"))
	return text, errors.Join(err, os.RemoveAll(dir))
})

// Prepare creates the schema of the migrations in an empty database of SQLite or
// PostgreSQL. It does not change a database with tables, one of another engine, or
// the first two PostgreSQL databases of a process: see postgresSchema.
func Prepare(t testing.TB, driver database.Driver, dsn string) {
	t.Helper()
	if driver == database.Postgres {
		preparePostgres(t, dsn)
	}
	if driver != database.SQLite {
		return
	}
	text, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	if err := database.CreateSQLite(dsn); err != nil { // with the same file mode as the program
		t.Fatal(err)
	}
	db, err := database.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tables int
	if err := db.QueryRowContext(context.Background(), `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	if tables > 0 {
		return
	}
	if _, err := db.ExecContext(context.Background(), "BEGIN IMMEDIATE;\n"+text+"COMMIT;"); err != nil {
		t.Fatalf("prepare the schema: %v", err)
	}
}

// dump migrates a database and returns its statements.
func dump(ctx context.Context, dsn string) (text string, err error) {
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn})
	if err != nil {
		return "", err
	}
	_, err = store.Migrate(ctx)
	if err = errors.Join(err, store.Close()); err != nil {
		return "", err
	}
	db, err := database.Open(database.SQLite, dsn)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var script strings.Builder
	statements, err := column(ctx, db, `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
		ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid`)
	if err != nil {
		return "", err
	}
	for _, s := range statements {
		script.WriteString(s + ";\n")
	}
	tables, err := column(ctx, db, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`)
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		rows, err := rowsOf(ctx, db, table)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			fmt.Fprintf(&script, "INSERT INTO %s VALUES (%s);\n", table, row)
		}
	}
	return script.String(), nil
}

// rowsOf returns a table's rows as SQL values.
func rowsOf(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	columns, err := column(ctx, db, fmt.Sprintf(`SELECT 'quote("' || name || '")' FROM pragma_table_info('%s') ORDER BY cid`, table))
	if err != nil {
		return nil, err
	}
	return column(ctx, db, fmt.Sprintf(`SELECT %s FROM %s`, strings.Join(columns, " || ', ' || "), table))
}

func column(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
