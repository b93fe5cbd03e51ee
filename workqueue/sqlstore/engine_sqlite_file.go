package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// How often it is checked whether the files of a SQLite database are still the ones that were
// opened: whenever a heartbeat is sent or the store is closed; by any call; and before a commit,
// after which SQLite may write a checkpoint. A check costs as much as a tenth of the shortest
// transaction.
const (
	atOnce    = 0
	atCalls   = time.Second
	atCommits = 10 * time.Millisecond
)

// recordAfter is how long a process uses the database before it records that: most commands end
// sooner.
const recordAfter = time.Second

// fileWatch reports that a file of a SQLite database was deleted or replaced. That is final:
// a file that is put back lacks what was written meanwhile.
type fileWatch struct {
	watch   *database.FileWatch   // nil: the database is not a file
	seen    database.Seen         // recorded before this process has opened it
	lost    atomic.Pointer[error] // why nothing is written any longer; set once
	checked atomic.Int64          // when the file was last checked, in Unix nanoseconds

	opened   time.Time
	recorded atomic.Bool // the log that is in use is recorded
}

// open creates the file of a SQLite database if it does not exist, watches it, and reads what
// was recorded of it. It ignores a path that cannot be used: SQLite reports a better error.
func (f *fileWatch) open(ctx context.Context, dsn string) (err error) {
	f.opened = time.Now()
	if err := database.CreateSQLite(dsn); err != nil {
		return fmt.Errorf("connect to sqlite database %s: %w", database.SafeDSN(dsn), err)
	}
	f.watch, err = database.WatchSQLite(dsn)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		f.watch = nil
		return nil
	}
	if err != nil {
		return err
	}
	f.seen, err = f.watch.Seen(ctx, dsn)
	if _, lost := errors.AsType[*database.LostLogError](err); lost {
		return fmt.Errorf("%w: %w", workqueue.ErrDatabaseLost, err)
	}
	if err != nil && ctx.Err() == nil {
		return nil // SQLite reports a better error
	}
	return err
}

// check returns an error that wraps workqueue.ErrDatabaseLost if a file is lost. It
// does not check them again within the interval.
func (f *fileWatch) check(within time.Duration) error {
	if lost := f.lost.Load(); lost != nil {
		return *lost
	}
	if within > 0 && time.Now().UnixNano()-f.checked.Load() < int64(within) {
		return nil
	}
	f.checked.Store(time.Now().UnixNano())
	if err := f.watch.Check(); err != nil {
		f.lose(err)
	} else if !f.recorded.Load() && time.Since(f.opened) > recordAfter {
		f.record(0, 0)
	}
	if lost := f.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// lose makes the loss final, and records it for the process that opens the database next. The
// error is returned to all callers, so those of the marker do not matter.
func (f *fileWatch) lose(err error) {
	err = fmt.Errorf("%w: %w", workqueue.ErrDatabaseLost, err)
	if f.lost.CompareAndSwap(nil, &err) {
		_ = f.watch.RecordLoss(0, 0)
	}
}

// record records what this process has seen of the database. If the marker cannot be written,
// the next heartbeat tries again.
func (f *fileWatch) record(epoch, item int64) {
	if f.watch == nil {
		return
	}
	if f.lost.Load() == nil {
		f.recorded.Store(true)
		err := f.watch.Record(epoch, item)
		if _, lost := errors.AsType[*database.LostFileError](err); !lost {
			return
		}
		f.lose(err)
	}
	_ = f.watch.RecordLoss(epoch, item)
}
