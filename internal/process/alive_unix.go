//go:build unix

package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// alive tells whether a process of this machine runs. A process of another
// user, which cannot be signalled, counts as alive; one that has ended and
// waits for its parent to look does not.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH) && !zombie(pid)
}

// zombie reads Linux's process table; elsewhere it knows nothing.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// pid (name) state …; the name may hold anything, brackets too.
	_, state, found := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return found && (bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X")))
}
