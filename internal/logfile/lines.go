package logfile

import "io"

// Lines writes lines to another writer. After one that was cut short, as by a full
// disk, it begins a new line, so that the next is not joined to what is left of it.
// It is not safe for several goroutines at once.
type Lines struct {
	to  io.Writer
	cut bool
}

// NewLines returns the writer of lines to w.
func NewLines(w io.Writer) *Lines { return &Lines{to: w} }

// Write writes one line, which ends with a line break.
func (l *Lines) Write(line []byte) (int, error) {
	if !l.cut || len(line) == 0 {
		n, err := l.to.Write(line)
		l.cut = n > 0 && n < len(line)
		return n, err
	}
	n, err := l.to.Write(append([]byte{'\n'}, line...))
	l.cut = n <= len(line)
	return max(n-1, 0), err
}
