//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"botwork/internal/testdb"
)

// sqliteProject makes a new project with SQLite, like a user: the database file does not
// exist yet, and the test has no connection to it.
func sqliteProject(t *testing.T) (x *project, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "botwork.db")
	return projectOn(t, testdb.Engine{Driver: "sqlite"}, file, nil), file
}

// heldItem adds an item that runs until the worker cancels it.
func heldItem(x *project) {
	x.enqueue("hold", fmt.Sprintf(`{"until": %q}`, filepath.Join(x.dir, "never")))
}

// rename moves a file with the files of its write-ahead log.
func rename(t *testing.T, from, to string) {
	t.Helper()
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(from+ending, to+ending); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func remove(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWorkerStopsWhenDatabaseFileIsLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		lose func(t *testing.T, file string)
		says string
	}{
		{"deleted", func(t *testing.T, file string) { remove(t, file, file+"-wal", file+"-shm") }, "was deleted or moved"},
		{"deleted alone", func(t *testing.T, file string) { remove(t, file) }, "was deleted or moved"},
		{"moved", func(t *testing.T, file string) { rename(t, file, file+".moved") }, "was deleted or moved"},
		{"its folder is moved", func(t *testing.T, file string) {
			if err := os.Rename(filepath.Dir(file), filepath.Dir(file)+".moved"); err != nil {
				t.Fatal(err)
			}
		}, "was deleted or moved"},
		{"replaced", func(t *testing.T, file string) {
			copyFile(t, file, file+".backup")
			rename(t, file+".backup", file)
		}, "was replaced by another file"},
		{"emptied", func(t *testing.T, file string) {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		}, "was emptied"},
		{"its write-ahead log is deleted", func(t *testing.T, file string) { remove(t, file+"-wal", file+"-shm") }, "botwork.db-wal, which was deleted or moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x, file := sqliteProject(t)
			heldItem(x)
			w := x.worker("w", "LEASE=10m", "HEARTBEAT=1s", "SHUTDOWNGRACE=5m")
			w.await("begun, attempt 1", 1)
			tt.lose(t, file)
			if code := w.wait(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			for _, text := range []string{"database lost; stopping this worker and its items", file, tt.says} {
				if !strings.Contains(w.String(), text) {
					t.Errorf("the output does not contain %q", text)
				}
			}
		})
	}
}

// Changes that another process writes to a file that has replaced the worker's file are
// kept when the worker ends: SQLite would delete the log of the new file, because
// it has the same name.
func TestWorkerDoesNotTouchReplacedDatabaseFile(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"by itself", "by Ctrl-C"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			x, file := sqliteProject(t)
			heldItem(x)
			heartbeat := "HEARTBEAT=1s"
			if end == "by Ctrl-C" {
				heartbeat = "HEARTBEAT=1m"
			}
			w := x.worker("w", "LEASE=10m", heartbeat, "SHUTDOWNGRACE=1s")
			w.await("begun, attempt 1", 1)
			rename(t, file, file+".moved")
			x.must("db", "init")
			// A killed process leaves its changes in the log.
			other := x.worker("other", "LEASE=10m", "HEARTBEAT=1m")
			other.await("worker started", 1)
			x.enqueue("hold", `{"until": "/dev/null"}`)
			log, err := os.Stat(file + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			if end == "by Ctrl-C" {
				w.signal(os.Interrupt)
			}
			if code := w.wait(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			if now, err := os.Stat(file + "-wal"); err != nil || !os.SameFile(log, now) {
				t.Errorf("the log of the new file does not exist: %v", err)
			}
			other.kill()
			if out := x.must("items", "list"); !strings.Contains(out, "hold") {
				t.Errorf("the item in the new file does not exist:\n%s", out)
			}
		})
	}
}

// While a worker runs, its write-ahead log is deleted. No other process starts beside it, and it
// writes nothing when it ends. The next start gives no id again, and doctor and check report it.
// The worker is frozen meanwhile: it would notice the loss with its first item, and stop.
func TestDeletedLogIsReported(t *testing.T) {
	t.Parallel()
	x, file := sqliteProject(t)
	heldItem(x)
	w := x.worker("w", "LEASE=10m", "HEARTBEAT=1s", "SHUTDOWNGRACE=1s")
	w.await("begun, attempt 1", 1)
	w.kill()
	x.run("doctor").want(0) // it reads the log of the killed worker, and SQLite deletes it
	if out := x.must("check"); strings.Contains(out, "may have lost") {
		t.Errorf("check reports a loss after a kill:\n%s", out)
	}
	w = x.worker("w2", "LEASE=10m", "HEARTBEAT=1m", "SHUTDOWNGRACE=1s")
	w.await("worker started", 1)
	lost := x.enqueue("hold", `{"until": "never"}`)
	w.signal(syscall.SIGSTOP)
	remove(t, file+"-wal")
	report := func(code int, text string) {
		t.Helper()
		if r := x.run("doctor"); r.code != code || !strings.Contains(r.stdout, text) {
			t.Errorf("doctor: exit code %d, want %d and %q:\n%s", r.code, code, text, r.stdout)
		}
	}
	report(1, "was deleted or replaced while the database was in use")
	x.run("enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`).want(1, file+"-wal was deleted", "stop all of them")
	w.signal(os.Interrupt)
	w.signal(syscall.SIGCONT)
	if code := w.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	report(1, "was deleted or replaced while the database was in use")
	if out := x.must("check"); !strings.Contains(out, "the database may have lost transactions") {
		t.Errorf("check does not report the loss:\n%s", out)
	}
	report(0, "epoch 1 started")
	if id := x.enqueue("hold", `{"until": "/dev/null"}`); id < lost+1_000_000 {
		t.Errorf("the next item has the id %d, want a million after %d", id, lost)
	}
	if out := x.must("check"); !strings.Contains(out, "epoch 1 started") {
		t.Errorf("the loss is not handled once:\n%s", out)
	}
}

func TestLostDatabaseFileIsNotRecreated(t *testing.T) {
	t.Parallel()
	x, file := sqliteProject(t)
	x.enqueue("hold", `{"until": "/dev/null"}`)
	before := x.must("items", "list", "--output", "json")
	aside := filepath.Join(t.TempDir(), "aside.db")
	rename(t, file, aside)

	for _, args := range [][]string{
		{"enqueue", "--pipeline", "hold", "--payload", `{"until": "/dev/null"}`}, {"items", "list"}, {"workers", "list"}, {"queues", "define"},
		{"check"}, {"db", "status"}, {"db", "migrate"}, {"run"}, {"run", "--once"},
	} {
		x.run(args...).want(1, file, "no longer exists", "restore it, or run `botwork db init`")
		if _, err := os.Stat(file); err == nil {
			t.Fatalf("botwork %s created the file", strings.Join(args, " "))
		}
	}
	r := x.run("doctor")
	if r.code != 1 || !strings.Contains(r.stdout, "no longer exists") {
		t.Errorf("doctor: exit code %d, want 1 and that the file no longer exists:\n%s", r.code, r.stdout)
	}
	copyFile(t, aside, file)
	if r := x.run("doctor"); r.code != 1 || !strings.Contains(r.stdout, "was replaced") {
		t.Errorf("doctor: exit code %d, want 1 and that the file was replaced:\n%s", r.code, r.stdout)
	}
	remove(t, file)
	rename(t, aside, file)
	if after := x.must("items", "list", "--output", "json"); after != before {
		t.Errorf("after the file was put back the items are\n%s\nwant\n%s", after, before)
	}

	rename(t, file, aside)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.run("enqueue", "--pipeline", "hold", "--payload", `{"until": "/dev/null"}`).want(1, "is now empty")
	x.must("db", "init")
	x.enqueue("hold", `{"until": "/dev/null"}`)
	if out := x.must("items", "list", "--output", "json"); strings.Count(out, `"id": `) != 1 {
		t.Errorf("after db init and one enqueue the items are\n%s", out)
	}
	x.must("db", "init") // changes nothing
	if out := x.must("items", "list", "--output", "json"); strings.Count(out, `"id": `) != 1 {
		t.Errorf("db init changed an existing database:\n%s", out)
	}
}

// Regardless of the umask, other users must not read payloads; and commands that only read create no files.
func TestDatabaseFileIsPrivate(t *testing.T) {
	old := syscall.Umask(0) // of the programs that this test starts, too
	defer syscall.Umask(old)
	x, file := sqliteProject(t)
	for _, args := range [][]string{{"items", "list"}, {"items", "batch", "some-key"}, {"queues", "list"}, {"db", "status"}, {"workers", "list"}, {"tasks", "list"}, {"doctor"}, {"durations", "list"}, {"assign", "--dry-run"}} {
		x.run(args...).want(0)
	}
	if found, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); err != nil || len(found) > 0 {
		t.Errorf("commands that only read created %v, %v", found, err)
	}
	heldItem(x)
	w := x.worker("w")
	w.await("begun, attempt 1", 1)
	for _, path := range []string{file, file + "-wal", file + "-shm"} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want the mode 0600", path, info, err)
		}
	}
	w.kill()

	if err := os.Chmod(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	r := x.run("doctor")
	for _, text := range []string{"all users of this machine may replace the files", "other users of this machine may use " + file} {
		if !strings.Contains(r.stdout, text) {
			t.Errorf("doctor does not print %q:\n%s", text, r.stdout)
		}
	}
	w = x.worker("w2")
	w.await("other users can read or replace the database file", 1)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the mode of an existing file is %v, %v, want it unchanged", info.Mode(), err)
	}
}
