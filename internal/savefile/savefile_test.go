package savefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"botwork/internal/savefile"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// alone fails if a folder has other files than these.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder has %q, want %q", got, names)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub/a.yaml"), "one", 0o600)
	f := &savefile.Folder{Path: dir}
	one := savefile.Hash([]byte("one"))
	recorded := 0
	if err := f.Save(savefile.Change{Name: "sub/a.yaml", Text: []byte("two"), Hash: one, Record: func() error { recorded++; return nil }}); err != nil || recorded != 1 {
		t.Fatalf("Save: %v, recorded %d times", err, recorded)
	}
	if got := read(t, filepath.Join(dir, "sub/a.yaml")); got != "two" {
		t.Errorf("the file has %q", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "sub/a.yaml")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if err := f.Save(savefile.Change{Name: "sub/a.yaml", Text: []byte("three"), Hash: one}); !errors.Is(err, savefile.ErrChanged) {
		t.Errorf("over another text: %v, want ErrChanged", err)
	}
	full := errors.New("the log is full")
	err := f.Save(savefile.Change{Name: "sub/a.yaml", Text: []byte("three"), Hash: savefile.Hash([]byte("two")), Record: func() error { return full }})
	if !errors.Is(err, full) || read(t, filepath.Join(dir, "sub/a.yaml")) != "two" {
		t.Errorf("not recorded: %v, and the file has %q", err, read(t, filepath.Join(dir, "sub/a.yaml")))
	}
	alone(t, filepath.Join(dir, "sub"), "a.yaml")

	if err := f.Save(savefile.Change{Name: "b.yaml", Text: []byte("new")}); err != nil || read(t, filepath.Join(dir, "b.yaml")) != "new" {
		t.Errorf("a new file: %v", err)
	}
	if err := f.Save(savefile.Change{Name: "b.yaml", Text: []byte("again")}); !errors.Is(err, savefile.ErrExists) {
		t.Errorf("a new file that exists: %v", err)
	}
	if err := f.Save(savefile.Change{Name: "c.yaml", Text: []byte("x"), Hash: one}); !errors.Is(err, savefile.ErrMissing) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if err := f.Save(savefile.Change{Name: "nowhere/c.yaml", Text: []byte("x")}); !errors.Is(err, savefile.ErrMissing) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	alone(t, dir, "b.yaml", "sub")
}

// A name leads to no file outside the folder, and to none over a link.
func TestSaveStaysInTheFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.yaml")
	write(t, secret, "one", 0o644)
	write(t, filepath.Join(dir, "a.yaml"), "one", 0o644)
	if err := errors.Join(os.Symlink(secret, filepath.Join(dir, "link.yaml")), os.Symlink(outside, filepath.Join(dir, "away")), os.Symlink("a.yaml", filepath.Join(dir, "inside.yaml"))); err != nil {
		t.Skip(err)
	}
	f := &savefile.Folder{Path: dir}
	for _, name := range []string{
		"../" + filepath.Base(outside) + "/secret.yaml", secret, "/etc/passwd", "link.yaml", "inside.yaml", "away/secret.yaml", "away/new.yaml", "a/../../x.yaml",
		"", ".", "..", "a.yaml/", "./a.yaml", ".hidden.yaml", ".git/config.yaml", `..\secret.yaml`, "c:a.yaml", "a.yaml\x00", "//x.yaml",
	} {
		for _, hash := range []string{"", savefile.Hash([]byte("one"))} {
			if err := f.Save(savefile.Change{Name: name, Text: []byte("two"), Hash: hash}); err == nil {
				t.Errorf("Save(%q) has written a file", name)
			}
		}
	}
	if read(t, secret) != "one" || read(t, filepath.Join(dir, "a.yaml")) != "one" {
		t.Error("a file has changed")
	}
	alone(t, outside, "secret.yaml")
	alone(t, dir, "a.yaml", "away", "inside.yaml", "link.yaml")
}

// Of several changes of the same text, one is made, also by two processes.
func TestSaveAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), "one", 0o644)
	folders := []*savefile.Folder{{Path: dir}, {Path: dir}}
	var running sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		running.Go(func() {
			results[i] = folders[i%2].Save(savefile.Change{Name: "a.yaml", Text: []byte(strings.Repeat("x", i+1)), Hash: savefile.Hash([]byte("one"))})
		})
	}
	running.Wait()
	saved := 0
	for i, err := range results {
		if err == nil {
			saved++
			if got := read(t, filepath.Join(dir, "a.yaml")); got != strings.Repeat("x", i+1) {
				t.Errorf("the file has %q", got)
			}
		} else if !errors.Is(err, savefile.ErrChanged) {
			t.Error(err)
		}
	}
	if saved != 1 {
		t.Errorf("%d changes were made, want 1", saved)
	}
}
