package doctor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The access to a file or folder that can be checked.
const (
	toRead  os.FileMode = 0o4
	toWrite os.FileMode = 0o2
)

// Groups by their security identifiers.
const (
	everyone       = "S-1-1-0"
	services       = "S-1-5-6"
	authenticated  = "S-1-5-11"
	administrators = "S-1-5-32-544"
	users          = "S-1-5-32-545"
	allServices    = "S-1-5-80-0"
)

// groups returns the groups that an account belongs to as a service. all is false for
// an account of a user or a domain, which may belong to other groups as well.
func groups(id string) (ids []string, all bool) {
	switch {
	case id == "S-1-5-18":
		return []string{id, administrators, everyone, authenticated}, true
	case id == "S-1-5-19", id == "S-1-5-20":
		return []string{id, everyone, authenticated, users, services}, true
	case strings.HasPrefix(id, "S-1-5-80-"):
		return []string{id, everyone, authenticated, users, services, allServices}, true
	}
	return []string{id, everyone, authenticated, users, services}, false
}

// mayUse returns nil if the access control list of path allows the account to use it.
func (a account) mayUse(path string, want os.FileMode) error {
	list, err := accessList(path)
	if err != nil {
		return err
	}
	need, verb := uint32(windows.FILE_READ_DATA), "read"
	if want&toWrite != 0 {
		need, verb = windows.FILE_WRITE_DATA|windows.FILE_APPEND_DATA, "write"
	}
	ids, all := groups(a.id)
	allowed, err := allows(list, ids, need)
	switch {
	case err != nil:
		return fmt.Errorf("read who may use %s: %w", path, err)
	case allowed:
		return nil
	case !all:
		return fmt.Errorf("%w whether %s may %s %s: it may belong to groups that this check does not read", errUnknown, a.name, verb, path)
	}
	return fmt.Errorf("the permissions of %s do not allow %s to %s it", path, a.name, verb)
}

// allows evaluates the entries of a list in their order, as Windows does: an entry that denies a
// right counts unless an earlier entry grants it. nil means no list, which allows everyone
// everything.
func allows(list *windows.ACL, ids []string, need uint32) (bool, error) {
	if list == nil {
		return true, nil
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return false, err
		}
		kind := entry.Header.AceType
		if kind != windows.ACCESS_ALLOWED_ACE_TYPE && kind != windows.ACCESS_DENIED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		if !slices.Contains(ids, (*windows.SID)(unsafe.Pointer(&entry.SidStart)).String()) {
			continue
		}
		rights := specific(uint32(entry.Mask))
		if kind == windows.ACCESS_DENIED_ACE_TYPE && rights&need != 0 {
			return false, nil
		}
		if kind == windows.ACCESS_ALLOWED_ACE_TYPE {
			need &^= rights
		}
		if need == 0 {
			return true, nil
		}
	}
	return false, nil
}

// specific replaces generic rights by the rights of files.
func specific(rights uint32) uint32 {
	if rights&windows.GENERIC_ALL != 0 {
		rights |= windows.FILE_READ_DATA | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA
	}
	if rights&windows.GENERIC_READ != 0 {
		rights |= windows.FILE_READ_DATA
	}
	if rights&windows.GENERIC_WRITE != 0 {
		rights |= windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA
	}
	return rights
}

// accessList returns the access control list of a file or folder; nil if it has none.
func accessList(path string) (*windows.ACL, error) {
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, fmt.Errorf("read who may use %s: %w", path, err)
	}
	list, _, err := descriptor.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) {
		return nil, nil
	}
	return list, err
}

// openToOthers returns which of the groups of all users may read a file that only the service
// should read; "" if none.
func openToOthers(path string) (string, error) {
	list, err := accessList(path)
	if err != nil {
		return "", err
	}
	var who []string
	for _, g := range []struct{ id, name string }{{everyone, "Everyone"}, {authenticated, "Authenticated Users"}, {users, "Users"}} {
		open, err := allows(list, []string{g.id}, windows.FILE_READ_DATA)
		if err != nil {
			return "", fmt.Errorf("read who may use %s: %w", path, err)
		}
		if open {
			who = append(who, g.name)
		}
	}
	return strings.Join(who, ", "), nil
}

// onlyOwner returns the command after which only administrators, the system and the service's
// account may use a file. It works with Windows in every language.
func onlyOwner(path string, a account) string {
	command := fmt.Sprintf(`icacls "%s" /inheritance:r /grant *%s:F *S-1-5-18:F`, path, administrators)
	if a.name != "" {
		command += fmt.Sprintf(` *%s:R`, a.id)
	}
	return command
}

// isReadOnly reports whether the cause of an error is write protection, and not missing rights.
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
