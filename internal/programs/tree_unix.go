//go:build unix

package programs

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// tree is a process group. A process that makes a group of its own leaves it.
type tree struct {
	group int

	// start distinguishes the group's leader from a later process with its number; 0 is unknown.
	// While the group has members, the system does not use the number for another process.
	start uint64
}

// kill kills all processes of the group.
func (t tree) kill() error {
	if t.group <= 1 {
		return os.ErrProcessDone
	}
	if now, ok := startOf(t.group); ok && t.start != 0 && now != t.start {
		return os.ErrProcessDone // the group is gone, and its number used again
	}
	err := syscall.Kill(-t.group, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func (p *program) run(cmd *exec.Cmd, started func()) error {
	// The kernel kills the program when the thread that started it ends. A thread
	// that no goroutine holds may end at any time.
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
	// Until Wait the number is the program's, even if it has ended already.
	start, _ := startOf(cmd.Process.Pid)
	p.arm(tree{group: cmd.Process.Pid, start: start})
	started()
	err := cmd.Wait()
	_ = p.disarm().kill() // what it left behind
	return err
}
