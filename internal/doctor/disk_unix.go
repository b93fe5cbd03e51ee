//go:build unix

package doctor

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func volumeOf(path string) (volume, error) {
	info, err := os.Stat(path)
	if err != nil {
		return volume{}, err
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return volume{}, fmt.Errorf("statfs %s: %w", path, err)
	}
	size := uint64(fs.Bsize) //nolint:unconvert,gosec // signed on some systems, and never negative
	return volume{id: fmt.Sprint(info.Sys().(*syscall.Stat_t).Dev), free: fs.Bavail * size, total: fs.Blocks * size}, nil
}
