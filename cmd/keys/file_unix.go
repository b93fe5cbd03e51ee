//go:build unix

package keys

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// keepOwner gives file the owner and the group of the one at path: a service
// must be able to read what an administrator has written.
func keepOwner(file *os.File, path string) error {
	old, err := os.Stat(path)
	if err != nil {
		return err
	}
	now, err := file.Stat()
	if err != nil {
		return err
	}
	want, got := old.Sys().(*syscall.Stat_t), now.Sys().(*syscall.Stat_t)
	if want.Uid == got.Uid && want.Gid == got.Gid {
		return nil
	}
	if err := file.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("%s belongs to user %d and group %d, and a new file cannot be given to them: %w; do it as that user",
			path, want.Uid, want.Gid, err)
	}
	return nil
}

// syncFolder makes sure that the names in a folder are on the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); !errors.Is(err, syscall.EINVAL) { // of a file system that knows no such thing
		return err
	}
	return nil
}
