//go:build unix

package logfile

import "os"

func openToAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
}

func openToRead(path string) (*os.File, error) { return os.Open(path) }

// write appends a line; the operating system finds the end and writes there atomically.
func write(f *os.File, line []byte) (int, error) { return f.Write(line) }
