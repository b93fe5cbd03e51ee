package newitems

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// InputLine is a line that is not blank.
type InputLine struct {
	Number int
	Text   []byte // until the next line is read

	// TooLong is true if the line is longer than the limit. The text is then incomplete, and the
	// rest of the line was skipped.
	TooLong bool
}

// ReadLines calls each for every line that is not blank, until each returns false. It never
// keeps more than limit bytes of a line in memory.
func ReadLines(r io.Reader, limit int64, each func(InputLine) (goOn bool)) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	var buffer []byte
	for number := 1; ; number++ {
		buffer = buffer[:0]
		tooLong := false
		var err error
		for {
			var piece []byte
			piece, err = lines.ReadSlice('\n')
			if tooLong = tooLong || int64(len(buffer)+len(piece)) > limit; !tooLong {
				buffer = append(buffer, piece...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		line := buffer
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimRight(line, "\r\n")
		if (tooLong || len(bytes.TrimSpace(line)) > 0) && !each(InputLine{number, line, tooLong}) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the lines: %w", err)
		}
	}
}
