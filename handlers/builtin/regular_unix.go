//go:build unix

package builtin

import "syscall"

// nonBlocking makes opening a file of any type return immediately.
const nonBlocking = syscall.O_NONBLOCK
