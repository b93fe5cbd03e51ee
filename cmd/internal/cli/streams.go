package cli

import "io"

// Streams are where a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	UTC            bool // show times in UTC, not in the local zone
}
