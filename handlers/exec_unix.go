//go:build unix

package handlers

import (
	"os/exec"
	"syscall"
)

// runTree runs cmd to its end. When its context ends, and when it leaves
// processes behind, the whole process group is killed; a process that made a
// group of its own escapes.
func runTree(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	// A group that is empty by now gives ESRCH: nothing was left behind.
	_ = kill()
	return err
}
