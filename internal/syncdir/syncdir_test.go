package syncdir

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"testing"
)

func TestSync(t *testing.T) {
	dir := t.TempDir()
	if err := Sync(dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := Sync(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v, want fs.ErrNotExist", err)
	}
}
