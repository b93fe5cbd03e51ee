package lsp

import (
	"errors"

	"golang.org/x/sys/windows"
)

// alive reports whether a process with this ID exists, also of another user.
func alive(id int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(id))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	state, err := windows.WaitForSingleObject(h, 0)
	return err != nil || state == uint32(windows.WAIT_TIMEOUT)
}
