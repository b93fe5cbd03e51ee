package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFoldersConfine(t *testing.T) {
	first, second := tempFolder(t, map[string]string{"in.txt": "first"}), tempFolder(t, map[string]string{"in.txt": "second"})
	outside := tempFolder(t, map[string]string{"secret.txt": "x"})
	allowed := folders{first, second}
	for _, c := range []struct{ path, want string }{
		{"in.txt", "first"},
		{"./sub/../in.txt", "first"},
		{filepath.Join(second, "in.txt"), "second"},
	} {
		data, _, err := allowed.read(c.path, 100)
		if err != nil || string(data) != c.want {
			t.Errorf("read %q = %q, %v, want %q", c.path, data, err, c.want)
		}
	}
	for _, path := range []string{"", "../in.txt", "sub/../../in.txt", filepath.Join(outside, "secret.txt"), first + "-other/in.txt", filepath.Dir(first)} {
		_, _, err := allowed.read(path, 100)
		wantError(t, err, "permanent", "handlers.folders", first, second)
	}
	_, _, err := folders(nil).read("in.txt", 100)
	wantError(t, err, "permanent", "no folders are allowed", "handlers.folders")
}

func TestFoldersStopSymbolicLinks(t *testing.T) {
	folder, outside := tempFolder(t, map[string]string{"in.txt": "inside"}), tempFolder(t, map[string]string{"secret.txt": "x"})
	if err := os.Symlink(outside, filepath.Join(folder, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink("in.txt", filepath.Join(folder, "alias.txt")); err != nil {
		t.Fatal(err)
	}
	allowed := folders{folder}
	_, _, err := allowed.read("out/secret.txt", 100)
	wantError(t, err, "permanent", "outside the allowed folders")
	_, err = allowed.write("out/new.txt", false, strings.NewReader("x"))
	wantError(t, err, "permanent", "outside the allowed folders")
	if _, err := os.Stat(filepath.Join(outside, "new.txt")); err == nil {
		t.Error("the file was written outside")
	}
	if data, _, err := allowed.read("alias.txt", 100); err != nil || string(data) != "inside" {
		t.Errorf("a link that stays inside: %q, %v", data, err)
	}
}

func TestFoldersRead(t *testing.T) {
	allowed := folders{tempFolder(t, map[string]string{"a.txt": "12345", "bom.txt": "\uFEFFtext", "latin.txt": "ol\xe1", "sub/b.txt": ""})}
	_, _, err := allowed.read("a.txt", 4)
	wantError(t, err, "permanent", "larger than 4B", "maxSize")
	if _, _, err := allowed.read("a.txt", 5); err != nil {
		t.Error(err)
	}
	_, _, err = allowed.read("sub", 5)
	wantError(t, err, "permanent", "it is a folder")
	_, _, err = allowed.read("none.txt", 5)
	wantError(t, err, "error", `read "none.txt": `)
	if text, _, err := allowed.readText("bom.txt", 100); err != nil || text != "text" {
		t.Errorf("readText = %q, %v, want text without the mark", text, err)
	}
	_, _, err = allowed.readText("latin.txt", 100)
	wantError(t, err, "business", "UTF-8", "byte 2")
}

func TestFoldersWriteLeavesNoTemporaryFile(t *testing.T) {
	folder := tempFolder(t, map[string]string{"a.txt": "old"})
	allowed := folders{folder}
	if _, err := allowed.write("a.txt", false, failingReader{}); err == nil {
		t.Error("want the reader's error")
	}
	if got := readFile(t, folder, "a.txt"); got != "old" {
		t.Errorf("a.txt = %q, want the old content", got)
	}
	if info, err := allowed.write("a.txt", false, strings.NewReader("new")); err != nil || info.Size() != 3 {
		t.Errorf("write = %v, %v", info, err)
	}
	if got := readFile(t, folder, "a.txt"); got != "new" {
		t.Errorf("a.txt = %q, want new", got)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v, want a.txt only", entries, err)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
