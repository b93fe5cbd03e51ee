package process

import (
	"errors"

	"golang.org/x/sys/windows"
)

// alive tells whether a process of this machine runs. A process that may not
// be asked counts as alive.
func alive(pid int) bool {
	const stillActive = 259
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing depends on it
	var code uint32
	return windows.GetExitCodeProcess(h, &code) != nil || code == stillActive
}
