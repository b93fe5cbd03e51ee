package doctor

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// remoteShare says whether a folder is on a file server.
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

// mayWriteFile opens the file and closes it again, which on Windows takes no
// lock away.
func mayWriteFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
