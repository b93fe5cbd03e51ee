package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// FileWatch compares the files of a SQLite database with those that were opened: the database
// and its write-ahead log. It does not detect that the content of a file was overwritten in
// place.
type FileWatch struct {
	path   string
	opened os.FileInfo
	filled atomic.Bool // the file has had content

	mu       sync.Mutex
	log, shm journal // their paths are immutable
	suspect  bool    // the log that was last in use is missing, and that is not handled yet
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
	log := sqliteLog(path)
	return &FileWatch{path: path, opened: info, log: journal{path: log}, shm: journal{path: strings.TrimSuffix(log, "-wal") + "-shm"}}, nil
}

// sqliteLog returns the path of the write-ahead log: SQLite follows a symbolic link to the
// database.
func sqliteLog(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path + "-wal"
}

// Check returns a *LostFileError if the file was deleted, moved, replaced or emptied, or,
// except on Windows, a file of its write-ahead log. It returns nil for a nil watch, and if the
// path cannot be read.
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
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range []*journal{&w.log, &w.shm} {
		if what := j.lost(); what != "" {
			return &LostFileError{w.path, "has lost " + j.path + ", which " + what}
		}
	}
	return nil
}

// journal is a file of the write-ahead log. SQLite itself deletes it only when the last
// connection of all processes is closed.
type journal struct {
	path   string
	opened os.FileInfo // nil: SQLite has not opened it yet
}

// lost returns what has happened to a file that this process has open; "" if it is at its path.
func (j *journal) lost() string {
	now, err := os.Stat(j.path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return "" // it cannot be read
	case j.opened != nil && !missing && os.SameFile(j.opened, now):
		return ""
	case j.opened != nil && isOpen(j.opened), openAndDeleted(j.path):
		if missing {
			return "was deleted or moved"
		}
		return "was replaced by another file"
	}
	j.opened = nil // not opened yet, or closed by all
	if !missing && isOpen(now) {
		j.opened = now
	}
	return ""
}
