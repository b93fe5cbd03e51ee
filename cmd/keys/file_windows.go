package keys

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// keepOwner gives file the access control list of the one at path, without which
// it would have that of its folder.
func keepOwner(file *os.File, path string) error {
	old, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read who may use %s: %w", path, err)
	}
	list, _, err := old.DACL()
	if err != nil {
		return fmt.Errorf("read who may use %s: %w", path, err)
	}
	control, _, err := old.Control()
	if err != nil {
		return fmt.Errorf("read who may use %s: %w", path, err)
	}
	// Whether the folder's entries are inherited is not part of the list.
	inherit := windows.SECURITY_INFORMATION(windows.UNPROTECTED_DACL_SECURITY_INFORMATION)
	if control&windows.SE_DACL_PROTECTED != 0 {
		inherit = windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	err = windows.SetNamedSecurityInfo(file.Name(), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|inherit, nil, nil, list, nil)
	if err != nil {
		return fmt.Errorf("let the same accounts use a new file in place of %s: %w", path, err)
	}
	return nil
}

// syncFolder does nothing: Windows opens no folder for that.
func syncFolder(string) error { return nil }
