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

// slow is how long one question to the database may take before workers are
// slowed down by it: an item costs several.
const slow = 250 * time.Millisecond

// database connects, and keeps the connection for the checks that follow.
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
	db, err := database.OpenToLook(d.o.Driver, d.o.DSN)
	if err != nil {
		return fault(err.Error(), "correct database.dsn")
	}
	if d.o.Driver == database.SQLite && database.SQLitePath(d.o.DSN) == "" {
		db.SetMaxOpenConns(1) // each connection would have a memory of its own
	}
	connected, asked, err := d.reach(ctx, db)
	if err != nil {
		found, advice := explain(ctx, d.o.Driver, d.o.DSN, errors.Join(err, db.Close()))
		found += fmt.Sprintf(", after %s", inMillis(time.Since(started)))
		return fault(found, advice)
	}
	d.db.Store(db)
	found := fmt.Sprintf("%s: connected in %s, a question takes %s", where, inMillis(connected), inMillis(asked))
	if database.SQLitePath(d.o.DSN) == "" && d.o.Driver == database.SQLite {
		return warning(found, "a queue in memory is gone when its process ends, and no other sees it: name a file in database.dsn")
	}
	if asked > slow {
		return warning(found, "every item costs several questions: bring worker and database nearer to each other")
	}
	return ok(found)
}

// missingFile is the result for a SQLite file that is not there; nil if it is.
func missingFile(path string) []Result {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fault(fmt.Sprintf("the folder %s does not exist", folder), "make it, or change database.dsn")
	}
	return warning("the file "+path+" is not there yet", "`botwork run` and `botwork db migrate` make it; if it should be there, correct database.dsn")
}

// reach connects and asks one question.
func (d *Doctor) reach(ctx context.Context, db pinger) (connected, asked time.Duration, err error) {
	started := time.Now()
	if err := ping(ctx, db); err != nil {
		return 0, 0, err
	}
	connected = time.Since(started)
	started = time.Now()
	// Not the ping: SQLite reads nothing of its file until it is asked for a table.
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

// ping connects, and gives up when ctx ends: SQL Server's driver goes on waiting for
// a server that takes the connection and says nothing.
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
