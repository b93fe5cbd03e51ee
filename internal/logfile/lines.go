package logfile

import "io"

// Lines writes lines to another writer. If a line was written only in part, for example
// because the disk was full, it starts a new line for the next one. It is not safe for
// concurrent use.
type Lines struct {
	to  io.Writer
	cut bool
}

// NewLines returns a Lines that writes to w.
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
