package cli

import (
	"io"

	"botwork/internal/visible"
)

// Streams are where a command reads and writes. Stdout and Stderr show the control characters of
// foreign texts as package visible does; Machine is for the output that programs read.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	UTC            bool // show times in UTC, not in the local zone
}

// Machine returns standard output without any change of its characters: for JSON, YAML, CSV and
// other formats with escapes of their own.
func (s *Streams) Machine() io.Writer { return Raw(s.Stdout) }

// Raw returns the writer below a writer that shows control characters: for output that programs
// read, and for text that was made visible before it got its colours.
func Raw(w io.Writer) io.Writer {
	if v, ok := w.(*visible.Writer); ok {
		return v.Unwrap()
	}
	return w
}
