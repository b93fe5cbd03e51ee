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

	"modernc.org/sqlite"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// migrated is the file of a migrated SQLite database. A copy takes much less time than the
// migrations, on which tests with their own database would otherwise spend most of their time.
var migrated = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "botwork-schema-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "botwork.db")
	if err := migrate(context.Background(), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // all of it: when the last connection closes, SQLite empties its log
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
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	path := database.SQLitePath(dsn)
	if path == "" {
		if err := prepareMemory(dsn, file); err != nil {
			t.Fatalf("prepare the schema: %v", err)
		}
		return
	}
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			return
		}
	}
	if err := database.CreateSQLite(dsn); err != nil { // with the same file mode as the program
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatalf("prepare the schema: %v", err)
	}
}

// prepareMemory copies the file of a database into one in memory.
func prepareMemory(dsn string, file []byte) (err error) {
	db, err := database.Open(database.SQLite, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var tables int
	if err := db.QueryRowContext(context.Background(), `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables); err != nil || tables > 0 {
		return err
	}
	dir, err := os.MkdirTemp("", "botwork-schema-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "botwork.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(driver any) error {
		restorer, ok := driver.(interface {
			NewRestore(from string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T cannot restore a copy", driver)
		}
		restore, err := restorer.NewRestore(path)
		if err != nil {
			return err
		}
		_, err = restore.Step(-1)
		return errors.Join(err, restore.Finish())
	})
}

// Unsynced returns the DSN with synchronous=OFF: commits do not wait for the disk. Data is lost only
// if the machine fails, not if a process is killed. DSNs of other engines are returned unchanged.
func Unsynced(driver database.Driver, dsn string) string {
	if driver != database.SQLite || database.SQLitePath(dsn) == "" {
		return dsn
	}
	dsn = database.JournalsInMemory(dsn) // as the store does; it is a DSN with parameters then
	if strings.Contains(dsn, "synchronous(") {
		return dsn
	}
	return dsn + "&_pragma=synchronous(OFF)"
}

// migrate applies all migrations to a SQLite database.
func migrate(ctx context.Context, dsn string) error {
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn})
	if err != nil {
		return err
	}
	_, err = store.Migrate(ctx)
	return errors.Join(err, store.Close())
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
