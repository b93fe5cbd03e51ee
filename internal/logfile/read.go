package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// block is the number of bytes that are read at a time.
const block = 64 << 10

// Last writes the last lines of the log at path to w, oldest first, including lines in
// rotated files. It returns the position of the end of the log.
func Last(w io.Writer, path string, lines int) (Place, error) {
	f, err := openToRead(path)
	if err != nil {
		return Place{}, err
	}
	place := Place{path: path, f: f}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return Place{}, errors.Join(err, f.Close())
	}
	tail, got, err := lastLines(f, end, lines)
	if err != nil {
		return Place{}, errors.Join(err, f.Close())
	}
	parts := [][]byte{tail}
	for _, o := range olds(path) {
		if got >= lines {
			break
		}
		more, n, err := lastLinesOf(o.path, lines-got)
		if errors.Is(err, fs.ErrNotExist) {
			break // the file was deleted in the meantime
		}
		if err != nil {
			return Place{}, errors.Join(err, f.Close())
		}
		parts, got = append(parts, more), got+n
	}
	for _, part := range slices.Backward(parts) {
		if _, err := w.Write(part); err != nil {
			return Place{}, errors.Join(err, f.Close())
		}
	}
	_, err = f.Seek(end, io.SeekStart)
	return place, err
}

func lastLinesOf(path string, lines int) ([]byte, int, error) {
	f, err := openToRead(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	return lastLines(f, end, lines)
}

// lastLines returns the last lines before end and their number.
func lastLines(f io.ReaderAt, end int64, lines int) ([]byte, int, error) {
	if lines <= 0 {
		return nil, 0, nil
	}
	var text []byte
	for at := end; at > 0 && bytes.Count(text, []byte("\n")) <= lines; {
		size := min(block, at)
		at -= size
		part := make([]byte, size, int(size)+len(text))
		if _, err := f.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, fmt.Errorf("read the log: %w", err)
		}
		text = append(part, text...)
	}
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++ // an incomplete line that is being written
	}
	for ; n > lines; n-- {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text, n, nil
}

// Place is the position of a reader in a log. Close must be called.
type Place struct {
	path string
	f    *os.File
}

// Follow writes new lines of the log to w until ctx ends, also after rotations. It checks
// for new lines at the interval every, because no operating system reports changes on all
// file systems.
func (p *Place) Follow(ctx context.Context, w io.Writer, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		// Check for a new file before reading the old one to its end: after the rotation
		// nothing is appended to the old one.
		next := p.next()
		if _, err := io.Copy(w, p.f); err != nil {
			return err
		}
		if next != nil {
			_ = p.f.Close() // it was only read
			p.f = next
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// next opens the file that now has the log's name; it returns nil if it is the same file.
func (p *Place) next() *os.File {
	mine, err := p.f.Stat()
	if err != nil {
		return nil
	}
	named, err := os.Stat(p.path)
	if err != nil || os.SameFile(mine, named) {
		return nil
	}
	f, err := openToRead(p.path)
	if err != nil {
		return nil
	}
	return f
}

// Close closes the file.
func (p *Place) Close() error { return p.f.Close() }
