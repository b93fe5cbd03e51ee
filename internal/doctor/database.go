package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"botwork/internal/database"
)

// slow is the query time above which a warning is shown: each item needs several queries.
const slow = 250 * time.Millisecond

// database connects, and keeps the connection for later checks.
func (d *Doctor) database(ctx context.Context) []Result {
	where := target(d.o.Driver, d.o.DSN)
	if d.o.Driver == database.SQLite {
		if r := d.lostFile(database.SQLitePath(d.o.DSN)); r != nil {
			return r
		}
		if r := missingFile(database.SQLitePath(d.o.DSN)); r != nil {
			return r
		}
	}
	started := time.Now()
	db, err := database.OpenReadOnly(d.o.Driver, d.o.DSN)
	if err != nil {
		return fault(err.Error(), "correct database.dsn")
	}
	if d.o.Driver == database.SQLite && database.SQLitePath(d.o.DSN) == "" {
		db.SetMaxOpenConns(1) // each connection would have its own database
	}
	connected, asked, err := d.reach(ctx, db)
	if err != nil {
		found, advice := explain(ctx, d.o.Driver, d.o.DSN, errors.Join(err, db.Close()))
		found += fmt.Sprintf(", after %s", inMillis(time.Since(started)))
		return fault(found, advice)
	}
	d.db.Store(db)
	found := fmt.Sprintf("%s: connected in %s, a query takes %s", where, inMillis(connected), inMillis(asked))
	if database.SQLitePath(d.o.DSN) == "" && d.o.Driver == database.SQLite {
		return warning(found, "a queue in memory is lost when its process ends, and other processes cannot use it: name a file in database.dsn")
	}
	if asked > slow {
		return warning(found, "each item needs several queries: run the worker closer to the database")
	}
	return ok(found)
}

// missingFile returns the result for a SQLite file that does not exist; nil if it exists.
func missingFile(path string) []Result {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fault(fmt.Sprintf("the folder %s does not exist", folder), "create it, or change database.dsn")
	}
	return warning("the file "+path+" does not exist yet", "`botwork run` and `botwork db migrate` create it; if it should exist, correct database.dsn")
}

// reach connects and makes one query.
func (d *Doctor) reach(ctx context.Context, db pinger) (connected, asked time.Duration, err error) {
	started := time.Now()
	if err := ping(ctx, db); err != nil {
		return 0, 0, err
	}
	connected = time.Since(started)
	started = time.Now()
	// A ping is not enough: SQLite does not read its file before the first query of a table.
	rows, err := db.QueryContext(ctx, d.statement("reach"))
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		continue
	}
	return connected, time.Since(started), rows.Err()
}

// ping connects, and returns when ctx ends: SQL Server's driver would continue to wait for a server
// that accepts the connection and sends nothing.
func ping(ctx context.Context, db pinger) error {
	answer := make(chan error, 1)
	go func() { answer <- db.PingContext(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func inMillis(t time.Duration) string {
	if t < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(t.Microseconds())/1000)
	}
	return fmt.Sprintf("%d ms", t.Milliseconds())
}
