package doctor

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// remoteShare returns the network share of a folder; "" if it is local.
func remoteShare(folder string) (share string, sure bool) {
	root := filepath.VolumeName(folder)
	if strings.HasPrefix(root, `\\`) {
		return `a network share (` + root + `)`, true
	}
	name, err := windows.UTF16PtrFromString(root + `\`)
	if err == nil && windows.GetDriveType(name) == windows.DRIVE_REMOTE {
		return "a network share (" + root + ")", true
	}
	return "", false
}

// mayWriteFile opens the file and closes it again, which releases no locks on Windows.
func mayWriteFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
