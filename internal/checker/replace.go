package checker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errChanged says that somebody else wrote a file meanwhile.
var errChanged = errors.New("somebody else has changed it meanwhile; hint: look at it and try again")

// Replace puts after in the place of before in a file, in one step: who reads it
// meanwhile sees the one or the other, and a process that is killed leaves it whole.
// The file keeps its mode; a link stays one. A file that does not hold before any
// more is left alone.
func Replace(path string, before, after []byte) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return errors.New("it is read-only") // a rename would not ask
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), ".botwork-fix-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(after)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Chmod(temporary.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	if now, err := os.ReadFile(target); err != nil {
		return err
	} else if !bytes.Equal(now, before) {
		return errChanged
	}
	return os.Rename(temporary.Name(), target)
}

// Diff writes the difference of two texts with as many lines as each other in the
// unified form, with three lines around each change. It is "" where there is none.
func Diff(path string, before, after []byte) string {
	const around = 3
	from, to := strings.SplitAfter(string(before), "\n"), strings.SplitAfter(string(after), "\n")
	if last := len(from) - 1; from[last] == "" {
		from, to = from[:last], to[:last] // behind the last line end
	}
	var b strings.Builder
	for i := 0; i < len(from); i++ {
		if from[i] == to[i] {
			continue
		}
		first, last := max(0, i-around), i
		for j := i; j < len(from) && j <= last+2*around; j++ {
			if from[j] != to[j] {
				last = j
			}
		}
		end := min(len(from), last+around+1)
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", first+1, end-first, first+1, end-first)
		hunk(&b, from[first:end], to[first:end])
		i = end - 1
	}
	return b.String()
}

// hunk writes lines that are the same once, and those that differ as taken away and
// then as added.
func hunk(b *strings.Builder, from, to []string) {
	write := func(sign string, lines []string) {
		for _, line := range lines {
			b.WriteString(sign + line)
			if !strings.HasSuffix(line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	for i := 0; i < len(from); {
		j := i
		for j < len(from) && from[j] != to[j] {
			j++
		}
		write("-", from[i:j])
		write("+", to[i:j])
		if j < len(from) {
			write(" ", from[j:j+1])
			j++
		}
		i = j
	}
}
