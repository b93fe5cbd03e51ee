package savefile

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// tryLock opens the file of the lock so that no one else can open it, and so that Windows removes it
// with the handle, also when the process dies.
func tryLock(path string) (unlock func(), err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	const (
		access = windows.GENERIC_READ | windows.GENERIC_WRITE | windows.DELETE
		flags  = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_DELETE_ON_CLOSE | windows.FILE_FLAG_OPEN_REPARSE_POINT
	)
	h, err := windows.CreateFile(name, access, 0, nil, windows.OPEN_ALWAYS, flags, 0)
	switch {
	case err == nil:
		return func() { _ = windows.CloseHandle(h) }, nil
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_ACCESS_DENIED):
		// Access is also denied for a moment while a removed file is still open, such as by a virus scanner.
		return nil, fmt.Errorf("%w: %w", errHeld, &fs.PathError{Op: "lock", Path: path, Err: err})
	default:
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
}
