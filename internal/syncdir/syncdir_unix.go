//go:build unix

package syncdir

import (
	"errors"
	"os"
	"syscall"
)

// Sync writes the names in a folder to the disk. A file system that cannot do so is no error.
func Sync(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
