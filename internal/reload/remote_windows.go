package reload

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// remote reports whether the folder is on a file system that other machines can change: a
// UNC path, or a drive that is mapped to one.
func remote(folder string) bool {
	volume := filepath.VolumeName(folder)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && volume != "" && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
