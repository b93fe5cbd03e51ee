//go:build linux

package e2e

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// smallDisk mounts a file system of a few megabytes.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("botwork", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill fills the disk and returns a function that frees the space again.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk ended with %v, want ENOSPC", err)
	}
	file.Close()
	return func() {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestFullDiskLosesNoItem(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	e := testdb.Engine{Driver: database.SQLite}
	dsn := filepath.Join(disk, "botwork.db")
	x := projectOn(t, e, dsn, e.Open(t, dsn))
	id, letGo := x.enqueueHold()
	w := x.worker("w")
	w.await("begun", 1)

	free := fill(t, disk)
	letGo(strings.Repeat("kept ", 40_000)) // more than the free space of the log file
	w.await("could not save results; keeping them and retrying", 1)
	w.await("full", 1)
	if it := x.item(id); it.State != workqueue.Blocked {
		t.Errorf("on the full disk the item is %s, want Blocked", it.State)
	}
	x.run("enqueue", "--pipeline", "hold", "--payload", `{"until": "`+strings.Repeat("x", 100_000)+`"}`).want(1, "full")
	free()

	it := x.awaitState(id, workqueue.Processed)
	if it.Fence != 1 || it.RetryCount != 0 || it.ReleaseCount != 0 || strings.Count(string(it.Output), "kept ") != 40_000 {
		t.Errorf("Fence %d, RetryCount %d, ReleaseCount %d, output of %d bytes; want 1, 0, 0 and the complete output", it.Fence, it.RetryCount, it.ReleaseCount, len(it.Output))
	}
	next, letGo := x.enqueueHold()
	letGo("")
	x.awaitState(next, workqueue.Processed)
	if next != id+1 {
		t.Errorf("the next item is %d, want %d: the one that did not fit was not created", next, id+1)
	}
	w.wantDrained(os.Interrupt)
}

// full is a file to which no bytes can be written.
func full(t *testing.T) *os.File {
	t.Helper()
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestUnwritableLogDoesNotStopWork(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, letGo := x.enqueueHold()
	letGo("")
	cmd := command(t, x.dir, x.environ, "run", "--once")
	cmd.Stderr = full(t)
	if code := start(t, cmd).wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if it := x.item(id); it.State != workqueue.Processed {
		t.Errorf("the item is %s, want Processed", it.State)
	}
}

// An incomplete list must not look complete.
func TestUnwritableOutputIsAnError(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"table", "json", "yaml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			x := newProject(t, testdb.Engine{Driver: database.SQLite})
			x.enqueueHold()
			cmd := command(t, x.dir, x.environ, "items", "list", "--output", format)
			cmd.Stdout = full(t)
			p := start(t, cmd)
			if code := p.wait(); code != 1 || !strings.Contains(p.String(), "no space left") {
				t.Errorf("exit code %d, want 1 and the words \"no space left\"", code)
			}
		})
	}
}
