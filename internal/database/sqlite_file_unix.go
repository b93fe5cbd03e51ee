//go:build unix

package database

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// fileNumber returns the inode number of the file; "" if it cannot be read.
func fileNumber(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino)
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
