package logfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// folder is like t.TempDir, which fails under Wine when it removes the folder.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "logfile-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func open(t *testing.T, path string, o Options) *File {
	t.Helper()
	l, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *File) mustWrite(t *testing.T, line string) {
	t.Helper()
	if n, err := l.Write([]byte(line)); err != nil || n != len(line) {
		t.Fatalf("Write(%q) = %d, %v", line, n, err)
	}
}

func last(t *testing.T, path string, lines int) string {
	t.Helper()
	var text bytes.Buffer
	place, err := Last(&text, path, lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Close(); err != nil {
		t.Error(err)
	}
	return text.String()
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestLogIsRotatedAndOldFilesRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(folder(t), "logs")
		path := filepath.Join(dir, "botwork.log")
		l := open(t, path, Options{MaxSize: 20, MaxFiles: 2})
		for i := range 6 {
			l.mustWrite(t, fmt.Sprintf("line number %d\n", i))
			time.Sleep(time.Minute)
		}
		want := []string{"botwork-2000-01-01T00-04-00.000.log", "botwork-2000-01-01T00-05-00.000.log", "botwork.log"}
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if got, want := last(t, path, 2), "line number 4\nline number 5\n"; got != want {
			t.Errorf("the last two lines are %q, want %q", got, want)
		}
		if got, want := last(t, path, 9), "line number 3\nline number 4\nline number 5\n"; got != want {
			t.Errorf("all lines are %q, want %q", got, want)
		}
	})
}

func TestOldFilesAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(folder(t), "botwork.log")
		l := open(t, path, Options{MaxSize: 5, MaxAge: 24 * time.Hour})
		for range 3 {
			l.mustWrite(t, "line\n")
			time.Sleep(23 * time.Hour)
		}
		if got := len(files(t, filepath.Dir(path))); got != 3 {
			t.Errorf("%d files, want 3: none was a day old at the last rotation", got)
		}
		open(t, path, Options{MaxAge: 24 * time.Hour})
		if diff := cmp.Diff([]string{"botwork-2000-01-02T22-00-00.000.log", "botwork.log"}, files(t, filepath.Dir(path))); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}

// TestOnlyRotatedFilesAreCounted checks that other files in the folder are never removed.
func TestOnlyRotatedFilesAreCounted(t *testing.T) {
	path := filepath.Join(folder(t), "botwork.log")
	for _, name := range []string{"botwork-second.log", "botwork-second-2026-01-02T03-04-05.678.log", "botwork-notes.txt"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, path, Options{MaxSize: 1, MaxFiles: 1})
	for range 4 {
		l.mustWrite(t, "line\n")
	}
	if got := files(t, filepath.Dir(path)); len(got) != 5 {
		t.Errorf("files %q, want the three other files, the log and one rotated file", got)
	}
}

// TestTwoWritersLoseNoLine lets two processes write to one log; each rotates it while the
// other one has it open.
func TestTwoWritersLoseNoLine(t *testing.T) {
	path := filepath.Join(folder(t), "botwork.log")
	const each = 500
	var both sync.WaitGroup
	for w := range 2 {
		l := open(t, path, Options{MaxSize: 2000})
		both.Go(func() {
			for i := range each {
				if _, err := fmt.Fprintf(l, "writer %d line %d\n", w, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	text := last(t, path, 3*each)
	for w := range 2 {
		for i := range each {
			if line := fmt.Sprintf("writer %d line %d\n", w, i); strings.Count(text, line) != 1 {
				t.Errorf("%q is in the log %d times, want once", line, strings.Count(text, line))
			}
		}
	}
	if len(olds(path)) == 0 {
		t.Error("the log was never rotated")
	}
}

func TestMovedLogIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(folder(t), "logs", "botwork.log")
		l := open(t, path, Options{})
		l.mustWrite(t, "before\n")
		if err := os.Rename(filepath.Dir(path), filepath.Dir(path)+"-kept"); err != nil {
			t.Skip("this system does not move the folder of an open file:", err)
		}
		time.Sleep(lookEvery)
		l.mustWrite(t, "after\n")
		if got := last(t, path, 9); got != "after\n" {
			t.Errorf("the log holds %q, want the lines that were written after the move", got)
		}
	})
}

// TestFailedRotationLosesNoLines checks that lines are written even if the log cannot be
// rotated.
func TestFailedRotationLosesNoLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t)
		path := filepath.Join(dir, "botwork.log")
		l := open(t, path, Options{MaxSize: 5})
		l.mustWrite(t, "one\n")
		away := holdNames(t, dir)
		l.mustWrite(t, "two\n")
		l.mustWrite(t, "three\n")
		if got := last(t, path, 9); got != "one\ntwo\nthree\n" {
			t.Errorf("the log holds %q, want all lines in one file", got)
		}
		away()
		time.Sleep(retryCut)
		l.mustWrite(t, "four\n")
		if got := last(t, path, 9); got != "one\ntwo\nthree\nfour\n" || len(olds(path)) != 1 {
			t.Errorf("the log holds %q in %d files, want a rotation before the fourth", got, 1+len(olds(path)))
		}
	})
}

func TestFollowContinuesAfterRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(folder(t), "botwork.log")
		l := open(t, path, Options{MaxSize: 12})
		l.mustWrite(t, "one\n")
		l.mustWrite(t, "two\n")
		var text bytes.Buffer
		place, err := Last(&text, path, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- place.Follow(ctx, &text, time.Second) }()
		for _, line := range []string{"three\n", "four\n", "five\n", "six\n"} {
			l.mustWrite(t, line)
			time.Sleep(2 * time.Second)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := place.Close(); err != nil {
			t.Error(err)
		}
		if got, want := text.String(), "two\nthree\nfour\nfive\nsix\n"; got != want || len(olds(path)) < 1 {
			t.Errorf("followed %q over %d rotations, want %q", got, len(olds(path)), want)
		}
	})
}

func TestLastReadsInBlocks(t *testing.T) {
	path := filepath.Join(folder(t), "botwork.log")
	var all strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	if err := os.WriteFile(path, []byte(all.String()+"half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for lines, want := range map[int]string{0: "", 1: "half", 2: "line 19999\nhalf"} {
		if got := last(t, path, lines); got != want {
			t.Errorf("Last(%d) = %q, want %q", lines, got, want)
		}
	}
	if got := last(t, path, 20_001); got != all.String()+"half" {
		t.Errorf("%d bytes, want all %d", len(got), all.Len()+4)
	}
}

func TestWriteToClosedLogFails(t *testing.T) {
	l := open(t, filepath.Join(folder(t), "botwork.log"), Options{})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write([]byte("line\n")); err == nil {
		t.Error("Write succeeded after Close")
	}
}
