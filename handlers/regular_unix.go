//go:build unix

package handlers

import "syscall"

// nonBlocking lets a file be opened at once, whatever it is.
const nonBlocking = syscall.O_NONBLOCK
