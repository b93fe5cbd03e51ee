package database

import (
	"os"
	"path/filepath"
)

// openAndDeleted reports whether this process has a file open that was deleted at path.
// SQLite itself deletes a write-ahead log only when the last connection is closed.
func openAndDeleted(path string) bool {
	const descriptors = "/proc/self/fd"
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	open, err := os.ReadDir(descriptors)
	if err != nil {
		return false
	}
	for _, d := range open {
		if target, err := os.Readlink(filepath.Join(descriptors, d.Name())); err == nil && target == path+" (deleted)" {
			return true
		}
	}
	return false
}
