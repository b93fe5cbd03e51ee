package logfile

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fullDisk accepts a number of bytes and then returns an error.
type fullDisk struct {
	bytes.Buffer
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	d.Buffer.Write(p[:n])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func TestIncompleteLineIsNotJoinedToNext(t *testing.T) {
	disk := &fullDisk{}
	l := NewLines(disk)
	for _, step := range []struct {
		room int
		line string
		n    int
		ok   bool
	}{
		{room: 6, line: "first\n", n: 6, ok: true},
		{room: 3, line: "second\n", n: 3},
		{room: 0, line: "third\n", n: 0},
		{room: 1, line: "fourth\n", n: 0}, // the missing line break
		{room: 3, line: "fifth\n", n: 2},
		{room: 100, line: "sixth\n", n: 6, ok: true},
		{room: 100, line: "seventh\n", n: 8, ok: true},
	} {
		disk.room = step.room
		if n, err := l.Write([]byte(step.line)); n != step.n || (err == nil) != step.ok {
			t.Errorf("Write(%q) with room for %d = %d, %v, want %d, ok %t", step.line, step.room, n, err, step.n, step.ok)
		}
	}
	if got, want := disk.String(), "first\nsec\n\nfi\nsixth\nseventh\n"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
}

func TestLogWithIncompleteLineContinuesOnNewLine(t *testing.T) {
	path := filepath.Join(folder(t), "botwork.log")
	if err := os.WriteFile(path, []byte("whole\nhal"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, path, Options{})
	l.mustWrite(t, "next\n")
	l.mustWrite(t, "last\n")
	if got, want := last(t, path, 9), "whole\nhal\nnext\nlast\n"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}
