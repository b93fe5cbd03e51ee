//go:build unix

package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// alive tells whether a process of this machine runs. A process of another
// user, which cannot be signalled, counts as alive.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
