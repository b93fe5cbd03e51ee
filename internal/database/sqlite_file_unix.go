//go:build unix

package database

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// fileNumber returns the inode number of the file; "" if it cannot be read.
func fileNumber(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return numberOf(info)
}

func numberOf(info os.FileInfo) string { return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino) }

// lockFolder locks a folder against other processes of Botwork that change a marker in it. If
// another process holds the lock for long, or the file system has no locks, it returns without:
// at worst one of two records is overwritten, and written again at the next heartbeat.
func lockFolder(folder string) (unlock func()) {
	f, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	for range 50 {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	return func() { _ = f.Close() }
}

// isOpen reports whether this process has the file open.
func isOpen(file os.FileInfo) bool {
	want := file.Sys().(*syscall.Stat_t)
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return false
	}
	for _, d := range open {
		var s syscall.Stat_t
		n, err := strconv.Atoi(d.Name())
		if err == nil && syscall.Fstat(n, &s) == nil && s.Ino == want.Ino && s.Dev == want.Dev {
			return true
		}
	}
	return false
}

// FolderRisk describes who else may replace or delete the files in the folder of a SQLite
// database; "" if no other user may. uid is the account that uses the files.
func FolderRisk(path string, uid int) string {
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	if err != nil {
		return ""
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	switch mode := info.Mode(); {
	case mode.Perm()&0o002 != 0 && mode&os.ModeSticky == 0:
		return fmt.Sprintf("all users of this machine may replace the files in %s (its mode is %04o)", folder, mode.Perm())
	case owner != uid && owner != 0:
		return fmt.Sprintf("the folder %s belongs to user %d, who may replace the files in it; this is user %d", folder, owner, uid)
	}
	return ""
}

// FileRisk describes who else may read the file of a SQLite database; "" if no other user
// may.
func FileRisk(path string) string {
	for _, file := range []string{path, path + "-wal"} {
		info, err := os.Stat(file)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			return fmt.Sprintf("other users of this machine may use %s (its mode is %04o)", file, info.Mode().Perm())
		}
	}
	return ""
}
