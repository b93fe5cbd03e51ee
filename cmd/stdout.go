package cmd

import "io"

// output is a standard output that remembers whether it took everything: to a
// script, a list that a full disk has cut short must not look like the whole.
type output struct {
	to  io.Writer
	err error // the first
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}
