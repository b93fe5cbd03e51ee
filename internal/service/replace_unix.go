//go:build unix

package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"botwork/internal/syncdir"
)

// replace replaces the program by next, and keeps the old program as kept. A program exists at
// every moment.
func replace(next, program, kept string) error {
	if err := os.Remove(kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Link(program, kept); err != nil {
		// Some file systems do not support hard links.
		if err := copyFile(program, kept); err != nil {
			return err
		}
	}
	if err := os.Rename(next, program); err != nil {
		return err
	}
	return syncdir.Sync(filepath.Dir(program))
}

func copyFile(from, to string) error {
	p := place{program: from, staged: to}
	return stage(from, p)
}

// sameOwner gives the file the owner of another.
func sameOwner(f *os.File, other os.FileInfo) error {
	want, ok := other.Sys().(*syscall.Stat_t)
	if !ok || int(want.Uid) == os.Geteuid() && int(want.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// samePath reports whether two paths name the same file.
func samePath(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// explainFile adds a hint to the error for a file that may not be written.
func explainFile(operation, name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &hinted{fmt.Errorf("%s the service %s: %w: %w", operation, name, ErrNoRights, err), "run this as root, for example with sudo"}
	}
	return fmt.Errorf("%s the service %s: %w", operation, name, err)
}
