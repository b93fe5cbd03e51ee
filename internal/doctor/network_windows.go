package doctor

import "golang.org/x/sys/windows"

// The errors of the system for a server that it cannot reach: not the numbers of package syscall,
// which Windows never gives.
const (
	refused = windows.WSAECONNREFUSED
	noHost  = windows.Errno(10065) // WSAEHOSTUNREACH
	noNet   = windows.Errno(10051) // WSAENETUNREACH
)
