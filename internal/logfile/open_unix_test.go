//go:build unix

package logfile

import (
	"os"
	"testing"
)

// holdNames keeps files in dir from being renamed. It returns what lets them go.
func holdNames(t *testing.T, dir string) func() {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("the super-user may rename in any folder")
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
