package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
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

// checkFile returns an error that is a workqueue.ErrDatabaseLost once the file of a SQLite
// database has been deleted or replaced. It stays so: a file that comes back lacks what
// was written meanwhile.
func (s *Store) checkFile() error {
	if lost := s.lost.Load(); lost != nil {
		return *lost
	}
	s.fileChecked.Store(time.Now().UnixNano())
	if err := s.file.Check(); err != nil {
		err = fmt.Errorf("%w: %w", workqueue.ErrDatabaseLost, err)
		s.lost.CompareAndSwap(nil, &err)
	}
	if lost := s.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// checkFileAtTimes is checkFile, but looks at the file only now and then.
func (s *Store) checkFileAtTimes() error {
	if s.lost.Load() == nil && time.Now().UnixNano()-s.fileChecked.Load() < int64(fileCheckEvery) {
		return nil
	}
	return s.checkFile()
}
