package keys

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// keepOwner copies the access control list of the file at path to file, which otherwise has
// that of its folder.
func keepOwner(file *os.File, path string) error {
	old, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read the access control list of %s: %w", path, err)
	}
	list, _, err := old.DACL()
	if err != nil {
		return fmt.Errorf("read the access control list of %s: %w", path, err)
	}
	control, _, err := old.Control()
	if err != nil {
		return fmt.Errorf("read the access control list of %s: %w", path, err)
	}
	// Whether the folder's entries are inherited is not part of the list.
	inherit := windows.SECURITY_INFORMATION(windows.UNPROTECTED_DACL_SECURITY_INFORMATION)
	if control&windows.SE_DACL_PROTECTED != 0 {
		inherit = windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	err = windows.SetNamedSecurityInfo(file.Name(), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|inherit, nil, nil, list, nil)
	if err != nil {
		return fmt.Errorf("copy the access control list of %s to the new file: %w", path, err)
	}
	return nil
}
