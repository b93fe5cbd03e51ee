//go:build unix

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

func lookUp(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	return account{name: name, id: u.Uid}, nil
}

// The access to a file or folder that can be checked.
const (
	toRead  = 0o4
	toWrite = 0o2
	toEnter = 0o1
)

// mayUse returns nil if the account may use path and the folders above it, by their owners and
// modes. It does not read access control lists. The error names the path that refuses access.
func (a account) mayUse(path string, want os.FileMode) error {
	u, err := user.Lookup(a.name)
	if err != nil {
		return err
	}
	if u.Uid == "0" {
		return nil
	}
	groups, err := u.GroupIds()
	if err != nil {
		return err
	}
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		need := os.FileMode(toEnter)
		if p == filepath.Clean(path) {
			if need = want; info.IsDir() {
				need |= toEnter
			}
		}
		if !modeAllows(info, u.Uid, groups, need) {
			return fmt.Errorf("%s has the mode %s and another owner: %s may not %s it", p, info.Mode(), a.name, inWords(need))
		}
		if p == filepath.Dir(p) {
			return nil
		}
	}
}

// modeAllows reports whether the mode allows access, as the system does: the owner's bits apply to
// the owner, the group's to its members, and the others' to all other users.
func modeAllows(info fs.FileInfo, uid string, groups []string, want os.FileMode) bool {
	owner := info.Sys().(*syscall.Stat_t)
	bits := info.Mode().Perm()
	switch {
	case strconv.FormatUint(uint64(owner.Uid), 10) == uid:
		bits >>= 6
	case slices.Contains(groups, strconv.FormatUint(uint64(owner.Gid), 10)):
		bits >>= 3
	}
	return bits&want == want
}

func inWords(want os.FileMode) string {
	switch {
	case want&toWrite != 0:
		return "write"
	case want&toRead != 0:
		return "read"
	}
	return "enter"
}

// openToOthers returns who else may read a file that only the service should read; "" if no one.
func openToOthers(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o007 != 0:
		return fmt.Sprintf("everyone on this machine (its mode is %04o)", mode), nil
	case mode&0o020 != 0:
		return fmt.Sprintf("its group, which may even change it (its mode is %04o)", mode), nil
	}
	return "", nil // administrators use a group to let a service read a file
}

// onlyOwner returns the command after which only the owner may use a file.
func onlyOwner(path string, _ account) string { return "chmod 600 " + path }

// isReadOnly reports whether the cause of an error is a read-only file system, and not missing
// rights.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
