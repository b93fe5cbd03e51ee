package doctor

import "golang.org/x/sys/windows"

// What the system says of a server that it does not come to: not the numbers of
// package syscall, which Windows never gives.
const (
	refused = windows.WSAECONNREFUSED
	noHost  = windows.Errno(10065) // WSAEHOSTUNREACH
	noNet   = windows.Errno(10051) // WSAENETUNREACH
)
