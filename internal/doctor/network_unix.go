//go:build unix

package doctor

import "syscall"

// The errors of the system for a server that it cannot reach.
const (
	refused = syscall.ECONNREFUSED
	noHost  = syscall.EHOSTUNREACH
	noNet   = syscall.ENETUNREACH
)
