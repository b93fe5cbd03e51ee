package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
)

// LostFileError reports that the file that was opened as a SQLite database is no longer
// at its path. New writes do not reach the database that other processes open.
type LostFileError struct {
	Path string
	What string // what happened to the file: "was deleted or moved"
}

func (e *LostFileError) Error() string {
	return fmt.Sprintf("the database file %s %s while it was open; nothing more is written to it", e.Path, e.What)
}

// FileWatch compares the file at a path with the file that was opened there. It does not
// detect that the content of a file was overwritten in place.
type FileWatch struct {
	path   string
	opened os.FileInfo
	filled atomic.Bool // the file has had content
}

// WatchSQLite records which file the DSN of a SQLite database names; it returns nil for a
// database in memory. Call it before the database is opened, and Check afterwards: if
// Check finds no other file, the opened file is known, although SQLite does not expose
// its descriptor.
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

// Check returns a *LostFileError if the file was deleted, moved, replaced or emptied, or
// on Linux if a file of its write-ahead log was deleted. It returns nil for a nil watch,
// and if the path cannot be read.
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
