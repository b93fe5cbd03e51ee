package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
)

// LostFileError says that the file which was opened as a SQLite database is not at its
// path any more. What is written from now on is not in the database that others open.
type LostFileError struct {
	Path string
	What string // what has happened to the file: "was deleted or moved"
}

func (e *LostFileError) Error() string {
	return fmt.Sprintf("the database file %s %s while it was open; nothing more is written to it", e.Path, e.What)
}

// FileWatch compares the file at a path with the one that was opened there. A file whose
// content is overwritten in place is still the same file: FileWatch does not see that.
type FileWatch struct {
	path   string
	opened os.FileInfo
	filled atomic.Bool // it has had content
}

// WatchSQLite remembers which file the DSN of a SQLite database names; nil for one in
// memory. Call it before the database is opened, and Check afterwards: when that finds no
// other file, the one that was opened is known without a look at its descriptor, which
// SQLite does not show.
func WatchSQLite(dsn string) (*FileWatch, error) {
	path := SQLitePath(dsn)
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	os.SameFile(info, info) // Windows reads the file's id at the first comparison
	return &FileWatch{path: path, opened: info}, nil
}

// Check returns a *LostFileError when the file has been deleted, moved, replaced or
// emptied, or on Linux when a file of its write-ahead log has been deleted. It returns nil
// for a nil watch, and when the path cannot be looked at.
func (w *FileWatch) Check() error {
	if w == nil {
		return nil
	}
	now, err := os.Stat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &LostFileError{w.path, "was deleted or moved"}
	case err != nil || !os.SameFile(now, now): // its id cannot be read
		return nil
	case !os.SameFile(w.opened, now):
		return &LostFileError{w.path, "was replaced by another file"}
	case now.Size() == 0 && w.filled.Load():
		return &LostFileError{w.path, "was emptied"}
	}
	if now.Size() > 0 {
		w.filled.Store(true)
	}
	for _, journal := range []string{w.path + "-wal", w.path + "-shm"} {
		if _, err := os.Stat(journal); errors.Is(err, fs.ErrNotExist) && openAndDeleted(journal) {
			return &LostFileError{w.path, "has lost " + journal + ", which was deleted or moved"}
		}
	}
	return nil
}
