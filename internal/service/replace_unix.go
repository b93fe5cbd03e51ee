//go:build unix

package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// replace puts next in the place of the program, and keeps that as kept. There is a
// program in place at every moment.
func replace(next, program, kept string) error {
	if err := os.Remove(kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Link(program, kept); err != nil {
		// Some file systems know no second names.
		if err := copyFile(program, kept); err != nil {
			return err
		}
	}
	if err := os.Rename(next, program); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(program))
}

func copyFile(from, to string) error {
	p := place{program: from, staged: to}
	return stage(from, p)
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

// sameOwner gives the file the owner of another.
func sameOwner(f *os.File, other os.FileInfo) error {
	want, ok := other.Sys().(*syscall.Stat_t)
	if !ok || int(want.Uid) == os.Geteuid() && int(want.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// samePath reports whether two paths mean one file.
func samePath(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// explainFile says what to do about a file that may not be written.
func explainFile(operation, name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &hinted{fmt.Errorf("%s the service %s: %w: %w", operation, name, ErrNoRights, err), "run this as root, such as by sudo"}
	}
	return fmt.Errorf("%s the service %s: %w", operation, name, err)
}
