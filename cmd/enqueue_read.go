package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readLines calls each for every line that is not blank, with its number. It
// ends when each says so.
func readLines(r io.Reader, each func(number int, line []byte) (goOn bool)) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 && !each(number, line) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
	}
}
