//go:build unix

package doctor

import "syscall"

// The system's errors for an unreachable server.
const (
	refused = syscall.ECONNREFUSED
	noHost  = syscall.EHOSTUNREACH
	noNet   = syscall.ENETUNREACH
)
