package cli

import "io"

// Streams are where a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}
