//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// alive tells whether there is a process of this id, one of another user's too.
func alive(id int) bool {
	err := syscall.Kill(id, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
