package savefile_test

import (
	"errors"
	"path/filepath"
	"testing"

	"botwork/internal/savefile"
)

// No file is written that another system cannot have.
func TestSaveChecksNames(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Hello.yaml"), "one", 0o644)
	f := &savefile.Folder{Path: dir}
	for name, want := range map[string]error{
		"con.yaml": savefile.ErrName, "LPT1.yaml": savefile.ErrName, "sub/nul.yaml": savefile.ErrName, "a.yaml.": savefile.ErrName, "a?.yaml": savefile.ErrName,
		"hello.yaml": savefile.ErrExists, "HELLO.YAML": savefile.ErrExists, "a.yaml:stream": savefile.ErrNotAllowed, "fine.yaml": nil,
	} {
		if err := f.Save(savefile.Change{Name: name, Text: []byte("two")}); !errors.Is(err, want) {
			t.Errorf("Save(%q) = %v, want %v", name, err, want)
		}
	}
	alone(t, dir, "Hello.yaml", "fine.yaml")
}
