// Package logfile keeps a log in a file that is cut when it has grown, and reads such files.
// Several processes may write one log, and people may look at it: a file that another program
// holds open never causes a lost line.
//
// Known libraries rename a file after they have closed it, and drop the lines that
// come while a viewer on Windows keeps them from that.
package logfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The least time between two looks whether the file still has its name, and after a
// cut that failed until the next try.
const (
	lookEvery = time.Second
	retryCut  = time.Minute
)

// Options say when a log is cut and what is kept of it.
type Options struct {
	// MaxSize is how many bytes a file has at most, unless a single line has more.
	// 0 never cuts.
	MaxSize int64

	// MaxFiles is how many files are kept beside the one that is written. 0 keeps
	// all.
	MaxFiles int

	// MaxAge is how long after its last line a file is kept. 0 is for ever.
	MaxAge time.Duration
}

// File is a log that is being written. Its methods may be called from several
// goroutines at once.
type File struct {
	path string
	o    Options

	mu     sync.Mutex
	f      *os.File
	lines  Lines     // to f
	size   int64     // as far as known: others may write, too
	looked time.Time // when size and name were last compared with the folder
	cutAt  time.Time // no cut before
}

// Open opens the log at path, whose folder it makes if need be.
func Open(path string, o Options) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("make the folder of the log: %w", err)
	}
	l := &File{path: path, o: o}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	l.prune(time.Now())
	return l, nil
}

// open opens the file at the path. On a failure the old one stays, if any.
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

// endsInLine reports whether a log of that size ends in the middle of a line: another
// process has died there, or the disk was full.
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

// appender appends to a file, in one step.
type appender struct{ f *os.File }

func (a appender) Write(line []byte) (int, error) { return write(a.f, line) }

// Write appends a line. It cuts the log first where the line would make it too
// long. A cut that fails only makes the file longer.
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

// look opens the file again when another process has cut the log or a person has moved it, and
// learns how much others have written.
func (l *File) look(now time.Time) {
	l.looked = now
	mine, err := l.f.Stat()
	if err != nil {
		return
	}
	l.size = mine.Size()
	if named, err := os.Stat(l.path); err != nil || !os.SameFile(mine, named) {
		_ = os.MkdirAll(filepath.Dir(l.path), 0o750)
		_ = l.open() // or else the lines go where they went before
	}
}

// cut gives the file a name with the time and begins another.
func (l *File) cut(now time.Time) {
	before := l.f
	if l.look(now); l.f != before && l.size < l.o.MaxSize {
		return // another process has cut it
	}
	name, err := reserve(l.path, now)
	if err != nil {
		l.cutAt = now.Add(retryCut)
		return
	}
	if err := os.Rename(l.path, name); err != nil {
		_ = os.Remove(name) // an empty file does no harm either
		l.cutAt = now.Add(retryCut)
		return
	}
	if err := l.open(); err != nil {
		l.cutAt = now.Add(retryCut)
	}
	l.prune(now)
}

// Close ends the log; what is written later is an error.
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
