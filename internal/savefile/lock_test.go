package savefile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/savefile"
)

// Two processes have a Folder each. A save of one begins while the other one is between its
// comparison and its end: it waits, sees the new text, and is refused. Only a save that is in the
// file is recorded.
func TestSaveOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub/a.yaml"), "one", 0o644)
	synctest.Test(t, func(t *testing.T) {
		// The folder of one is a part of the other's.
		first, second := &savefile.Folder{Path: dir}, &savefile.Folder{Path: filepath.Join(dir, "sub")}
		one, recorded, result := savefile.Hash([]byte("one")), 0, make(chan error)
		err := first.Save(savefile.Change{Name: "sub/a.yaml", Text: []byte("two"), Hash: one, Record: func() error {
			go func() {
				result <- second.Save(savefile.Change{Name: "a.yaml", Text: []byte("three"), Hash: one, Record: func() error { recorded++; return nil }})
			}()
			synctest.Wait()
			recorded++
			return nil
		}})
		if err != nil {
			t.Errorf("the first save: %v", err)
		}
		if err := <-result; !errors.Is(err, savefile.ErrChanged) {
			t.Errorf("the second save: %v, want ErrChanged", err)
		}
		if got := read(t, filepath.Join(dir, "sub/a.yaml")); got != "two" || recorded != 1 {
			t.Errorf("the file has %q, and %d saves were recorded; want two, 1", got, recorded)
		}
	})
	alone(t, filepath.Join(dir, "sub"), "a.yaml")
}

// A save that waits for another process in vain ends after a time, and changes nothing.
func TestSaveIsLocked(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first, second := &savefile.Folder{Path: dir}, &savefile.Folder{Path: dir}
		err := first.Save(savefile.Change{Name: "a.yaml", Text: []byte("one"), Record: func() error {
			begin := time.Now()
			err := second.Save(savefile.Change{Name: "b.yaml", Text: []byte("two"), Record: func() error { t.Error("recorded"); return nil }})
			if waited := time.Since(begin); !errors.Is(err, savefile.ErrLocked) || waited != 10*time.Second {
				t.Errorf("the second save: %v after %v, want ErrLocked after 10s", err, waited)
			}
			return nil
		}})
		if err != nil {
			t.Errorf("the first save: %v", err)
		}
	})
	alone(t, dir, "a.yaml")
}

// A new file that could not be recorded is removed.
func TestNewFileIsNotRecorded(t *testing.T) {
	dir, full := t.TempDir(), errors.New("the log is full")
	f := &savefile.Folder{Path: dir}
	err := f.Save(savefile.Change{Name: "a.yaml", Text: []byte("one"), Record: func() error {
		if got := read(t, filepath.Join(dir, "a.yaml")); got != "one" {
			t.Errorf("recorded while the file has %q", got)
		}
		return full
	}})
	if !errors.Is(err, full) {
		t.Errorf("Save: %v, want the error of Record", err)
	}
	alone(t, dir)
}

// A process that dies while it writes stops no other one.
func TestSaveAfterADeath(t *testing.T) {
	if dir := os.Getenv("BOTWORK_TEST_DIE_IN"); dir != "" {
		f := &savefile.Folder{Path: dir}
		_ = f.Save(savefile.Change{Name: "dead.yaml", Text: []byte("one"), Record: func() error { os.Exit(3); return nil }})
	}
	dir := t.TempDir()
	dying := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSaveAfterADeath$")
	dying.Env = append(os.Environ(), "BOTWORK_TEST_DIE_IN="+dir)
	if err := dying.Run(); dying.ProcessState.ExitCode() != 3 {
		t.Fatalf("the process ended by itself: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		begin, f := time.Now(), &savefile.Folder{Path: dir}
		if err := f.Save(savefile.Change{Name: "a.yaml", Text: []byte("one")}); err != nil || time.Since(begin) > 0 {
			t.Errorf("Save: %v after %v, want one without a wait", err, time.Since(begin))
		}
	})
}
