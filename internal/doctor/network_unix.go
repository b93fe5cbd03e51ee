//go:build unix

package doctor

import "syscall"

// What the system says of a server that it does not come to.
const (
	refused = syscall.ECONNREFUSED
	noHost  = syscall.EHOSTUNREACH
	noNet   = syscall.ENETUNREACH
)
