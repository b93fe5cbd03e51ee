//go:build unix

package keys

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner sets the owner and the group of file to those of the file at path: the service
// must be able to read a file that an administrator writes.
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
		return fmt.Errorf("%s belongs to user %d and group %d, and the owner of the new file cannot be set: %w; run the command as that user",
			path, want.Uid, want.Gid, err)
	}
	return nil
}
