//go:build unix

package savefile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of another one, if this process may do that.
func keepOwner(file *os.File, like fs.FileInfo) {
	if of, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(of.Uid), int(of.Gid))
	}
}
