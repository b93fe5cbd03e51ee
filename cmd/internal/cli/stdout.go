package cli

import "io"

// CheckedWriter is a standard output that records write errors: a script must be able to
// detect a list that was cut by a full disk.
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
