//go:build unix

package savefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tryLock creates the file if there is none, and locks it. The lock belongs to the open file, so it
// also excludes other calls of this process.
func tryLock(path string) (unlock func(), err error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // nothing was written
		}
	}()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, errHeld
	}
	if err != nil {
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	// A holder removes the file before it unlocks it: a lock of a removed file excludes no one.
	opened, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(opened, now) {
		return nil, errHeld
	}
	return func() {
		_ = os.Remove(path) // a file that remains is locked again
		_ = file.Close()
	}, nil
}

// openLock opens the file of the lock. A process that died may have left it, with another user as
// the owner: reading suffices for a lock then.
func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o644)
	if errors.Is(err, fs.ErrPermission) {
		if file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0); err == nil {
			return file, nil
		}
	}
	return file, err
}
