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

// fileCheckEvery is how often calls check whether the file of a SQLite database is still the
// one that was opened. Beat checks it every time.
const fileCheckEvery = time.Second

// sqliteFile creates the file of a SQLite database if it does not exist, and watches it. It
// ignores a path that cannot be used: SQLite reports a better error.
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

// fileWatch reports that the file of a SQLite database was deleted or replaced. That is final:
// a file that is put back lacks what was written meanwhile.
type fileWatch struct {
	watch   *database.FileWatch   // nil: the database is not a file
	lost    atomic.Pointer[error] // why nothing is written any longer; set once
	checked atomic.Int64          // when the file was last checked, in Unix nanoseconds
}

// check returns an error that wraps workqueue.ErrDatabaseLost if the file is lost. If now is
// false, it checks the file only at intervals.
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
