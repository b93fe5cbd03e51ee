package logfile

import (
	"os"
	"path/filepath"
	"testing"
)

// holdNames opens the log in dir as most programs do, which prevents renames. It returns
// a function that closes it.
func holdNames(t *testing.T, dir string) func() {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "botwork.log"))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
