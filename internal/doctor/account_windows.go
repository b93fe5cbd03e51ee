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

// lookUp finds an account as the service manager writes it.
func lookUp(name string) (account, error) {
	asked := name
	switch {
	case strings.EqualFold(name, "LocalSystem"):
		asked = `NT AUTHORITY\SYSTEM`
	case strings.HasPrefix(name, `.\`):
		host, err := os.Hostname()
		if err != nil {
			return account{}, err
		}
		asked = host + name[1:]
	}
	sid, _, _, err := windows.LookupSID("", asked)
	if err != nil {
		return account{}, err
	}
	return account{name: name, id: sid.String()}, nil
}

// What may be asked for with a file or folder.
const (
	toRead  os.FileMode = 0o4
	toWrite os.FileMode = 0o2
)

var getEffectiveRights = windows.NewLazySystemDLL("advapi32.dll").NewProc("GetEffectiveRightsFromAclW")

// mayUse asks Windows what the access control list of path gives the account. It
// knows the groups of this machine; those of a domain that cannot be asked make
// an error.
func (a account) mayUse(path string, want os.FileMode) error {
	sid, err := windows.StringToSid(a.id)
	if err != nil {
		return err
	}
	list, err := accessList(path)
	if err != nil {
		return err
	}
	if list == nil {
		return nil // no list: everybody may
	}
	who := windows.TRUSTEE{TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeType: windows.TRUSTEE_IS_USER, TrusteeValue: windows.TrusteeValueFromSID(sid)}
	var rights uint32
	code, _, _ := getEffectiveRights.Call(uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(&who)), uintptr(unsafe.Pointer(&rights)))
	if code != 0 {
		return fmt.Errorf("what %s may do with %s is not known: %w", a.name, path, windows.Errno(code))
	}
	need, verb := uint32(windows.FILE_READ_DATA), "read"
	if want&toWrite != 0 {
		need, verb = windows.FILE_WRITE_DATA, "write"
	}
	if rights&need != need {
		return fmt.Errorf("the permissions of %s let %s not %s it", path, a.name, verb)
	}
	return nil
}

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

// openToOthers says which of the groups that hold everybody may read a file that
// only the service may read; "" if none.
func openToOthers(path string) (string, error) {
	list, err := accessList(path)
	if err != nil {
		return "", err
	}
	if list == nil {
		return "everybody (it has no access control list)", nil
	}
	var who []string
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return "", fmt.Errorf("read who may use %s: %w", path, err)
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || uint32(entry.Mask)&(windows.FILE_READ_DATA|windows.GENERIC_READ|windows.GENERIC_ALL) == 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		for kind, name := range map[windows.WELL_KNOWN_SID_TYPE]string{
			windows.WinWorldSid: "Everyone", windows.WinBuiltinUsersSid: "Users", windows.WinAuthenticatedUserSid: "Authenticated Users",
		} {
			if sid.IsWellKnown(kind) && !slices.Contains(who, name) {
				who = append(who, name)
			}
		}
	}
	slices.Sort(who)
	return strings.Join(who, ", "), nil
}

// onlyOwner is how a file is kept to the administrators and the system; the
// service's account is added by hand.
func onlyOwner(path string) string {
	return fmt.Sprintf(`icacls "%s" /inheritance:r /grant Administrators:F SYSTEM:F and the service's account by (R)`, path)
}

// isReadOnly tells an error for which no right is missing.
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
