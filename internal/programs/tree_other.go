//go:build unix && !linux

package programs

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// startOf is not supported on these systems.
func startOf(int) (uint64, bool) { return 0, false }
