package cli

import "io"

// CheckedWriter is a standard output that remembers whether it took everything: to a
// script, a list that a full disk has cut short must not look like the whole.
type CheckedWriter struct {
	To  io.Writer
	Err error // the first
}

// Write implements io.Writer.
func (o *CheckedWriter) Write(b []byte) (int, error) {
	n, err := o.To.Write(b)
	if o.Err == nil {
		o.Err = err
	}
	return n, err
}
