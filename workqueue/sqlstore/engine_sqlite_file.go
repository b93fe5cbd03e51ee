package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// fileCheckEvery is how often calls compare the file of a SQLite database with the one
// that was opened. Beat does it each time.
const fileCheckEvery = time.Second

// sqliteFile creates the file of a SQLite database unless it is there, and watches it. A
// path that cannot be used is left to SQLite, which says what is wrong.
func sqliteFile(dsn string) (*database.FileWatch, error) {
	if err := database.CreateSQLite(dsn); err != nil {
		return nil, fmt.Errorf("connect to sqlite database %s: %w", database.SafeDSN(dsn), err)
	}
	watch, err := database.WatchSQLite(dsn)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	return watch, err
}

// fileWatch reports that the file of a SQLite database has been deleted or replaced. It stays
// so: a file that comes back lacks what was written meanwhile.
type fileWatch struct {
	watch   *database.FileWatch   // nil: the database is no file
	lost    atomic.Pointer[error] // why nothing is written any more; set once
	checked atomic.Int64          // when the file was last compared, in nanoseconds of Unix
}

// check returns an error that is a workqueue.ErrDatabaseLost once the file is lost. Unless
// now is set, it compares the file only at intervals.
func (f *fileWatch) check(now bool) error {
	if lost := f.lost.Load(); lost != nil {
		return *lost
	}
	if !now && time.Now().UnixNano()-f.checked.Load() < int64(fileCheckEvery) {
		return nil
	}
	f.checked.Store(time.Now().UnixNano())
	if err := f.watch.Check(); err != nil {
		err = fmt.Errorf("%w: %w", workqueue.ErrDatabaseLost, err)
		f.lost.CompareAndSwap(nil, &err)
	}
	if lost := f.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}
