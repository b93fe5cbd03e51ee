//go:build unix

package programs

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// tree is a process group. A process that creates its own group leaves it.
type tree struct {
	group int

	// start distinguishes the group's leader from a later process with the same number; 0 is
	// unknown. While the group has members, the system does not reuse the number.
	start uint64
}

// kill kills all processes of the group.
func (t tree) kill() error {
	if t.group <= 1 {
		return os.ErrProcessDone
	}
	if now, ok := startOf(t.group); ok && t.start != 0 && now != t.start {
		return os.ErrProcessDone // the group has ended, and its number was reused
	}
	err := syscall.Kill(-t.group, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func (p *program) run(cmd *exec.Cmd, started func()) error {
	// The kernel kills the program when the thread that started it ends. A thread
	// that is not locked to a goroutine may end at any time.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error {
		err := p.kill()
		killMarked(p)
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// Until Wait the number belongs to the program, even if it has already ended.
	start, _ := startOf(cmd.Process.Pid)
	p.arm(tree{group: cmd.Process.Pid, start: start})
	started()
	err := cmd.Wait()
	_ = p.disarm().kill() // its remaining processes
	return err
}
