// Package logfile writes a log to a file that is rotated at a maximum size, and reads
// such files. Several processes may write to one log while users read it: no line is lost
// because another program has the file open.
//
// Other libraries close a file and then rename it; on Windows they lose lines while
// another program has the file open, which prevents the rename.
package logfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The minimum time between two checks whether the file still has its name, and between
// two attempts to rotate after a failure.
const (
	lookEvery = time.Second
	retryCut  = time.Minute
)

// Options define when a log is rotated and which old files are kept.
type Options struct {
	// MaxSize is the maximum size of a file in bytes; a file with a single line may be
	// larger. 0 never rotates.
	MaxSize int64

	// MaxFiles is how many old files are kept in addition to the current one. 0 keeps
	// all.
	MaxFiles int

	// MaxAge is how long a file is kept after its last line. 0 means forever.
	MaxAge time.Duration
}

// File is an open log. Its methods are safe for concurrent use.
type File struct {
	path string
	o    Options

	mu     sync.Mutex
	f      *os.File
	lines  Lines     // to f
	size   int64     // as far as known: other processes may also write
	looked time.Time // when size and name were last checked
	cutAt  time.Time // no rotation before
}

// Open opens the log at path and creates its folder if necessary.
func Open(path string, o Options) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("create the folder of the log: %w", err)
	}
	l := &File{path: path, o: o}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	l.prune(time.Now())
	return l, nil
}

// open opens the file at the path. If it fails, the old file stays open, if any.
func (l *File) open() error {
	f, err := openToAppend(l.path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if l.f != nil {
		_ = l.f.Close() // nothing is buffered
	}
	l.f, l.size, l.looked = f, info.Size(), time.Now()
	l.lines = Lines{to: appender{f}, cut: endsInLine(l.path, l.size)}
	return nil
}

// endsInLine reports whether a log of that size ends with an incomplete line: a process
// died while it wrote, or the disk was full.
func endsInLine(path string, size int64) bool {
	if size == 0 {
		return false
	}
	f, err := openToRead(path)
	if err != nil {
		return false
	}
	defer f.Close()
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}

// appender appends to a file with one call.
type appender struct{ f *os.File }

func (a appender) Write(line []byte) (int, error) { return write(a.f, line) }

// Write appends a line. It rotates the log first if the line would exceed the maximum
// size. If the rotation fails, the file just becomes larger.
func (l *File) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return 0, os.ErrClosed
	}
	now := time.Now()
	if now.Sub(l.looked) >= lookEvery {
		l.look(now)
	}
	if l.o.MaxSize > 0 && l.size > 0 && l.size+int64(len(line)) > l.o.MaxSize && !now.Before(l.cutAt) {
		l.cut(now)
	}
	n, err := l.lines.Write(line)
	l.size += int64(n)
	return n, err
}

// look opens the file again if another process has rotated it or a user has moved it, and
// updates the size, because other processes may have written.
func (l *File) look(now time.Time) {
	l.looked = now
	mine, err := l.f.Stat()
	if err != nil {
		return
	}
	l.size = mine.Size()
	if named, err := os.Stat(l.path); err != nil || !os.SameFile(mine, named) {
		_ = os.MkdirAll(filepath.Dir(l.path), 0o750)
		_ = l.open() // if this fails, the lines go to the old file
	}
}

// cut renames the file to a name with the time and opens a new one.
func (l *File) cut(now time.Time) {
	before := l.f
	if l.look(now); l.f != before && l.size < l.o.MaxSize {
		return // another process has rotated it
	}
	name, err := reserve(l.path, now)
	if err != nil {
		l.cutAt = now.Add(retryCut)
		return
	}
	if err := os.Rename(l.path, name); err != nil {
		_ = os.Remove(name) // an empty file that remains is harmless
		l.cutAt = now.Add(retryCut)
		return
	}
	if err := l.open(); err != nil {
		l.cutAt = now.Add(retryCut)
	}
	l.prune(now)
}

// Close closes the log; Write then returns an error.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}
