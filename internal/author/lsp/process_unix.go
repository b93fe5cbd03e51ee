//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// alive reports whether a process with this ID exists, also of another user.
func alive(id int) bool {
	err := syscall.Kill(id, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
