//go:build unix

package logfile

import (
	"os"
	"testing"
)

// holdNames prevents renames of files in dir. It returns a function that allows them
// again.
func holdNames(t *testing.T, dir string) func() {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root may rename files in any folder")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Error(err)
		}
	}
}
