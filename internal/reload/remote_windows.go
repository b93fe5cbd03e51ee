package reload

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// remote tells whether a folder lies on a file system that other machines change
// as well: a UNC path, or a drive that stands for one.
func remote(folder string) bool {
	volume := filepath.VolumeName(folder)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && volume != "" && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
