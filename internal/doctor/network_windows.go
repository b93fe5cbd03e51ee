package doctor

import "golang.org/x/sys/windows"

// The system's errors for an unreachable server. The values of package syscall differ, and Windows
// never returns them.
const (
	refused = windows.WSAECONNREFUSED
	noHost  = windows.Errno(10065) // WSAEHOSTUNREACH
	noNet   = windows.Errno(10051) // WSAENETUNREACH
)
