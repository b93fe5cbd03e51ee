//go:build unix

package chaos

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"botwork/internal/tests/chaos/ledger"
)

// node is one worker's name, and its current process.
type node struct {
	c    *cluster
	name string
	twin bool // another node has the name

	cmd  *exec.Cmd   // nil before the first start
	tame *os.Process // the target of signals: the process, or that in the container
	id   int         // of the process in the ledger
	log  string      // the file with the output of the process
	done chan struct{}

	until time.Time // when a suspended process is resumed, or a dead one is started again
	pause *pause    // nil if it is not suspended
	slept bool      // it has been suspended
	asked bool      // it was asked to drain
	force time.Time // when it gets a second signal, to exit immediately; zero: never
	dead  bool
	runs  int
}

// pause is a suspension of a process.
type pause struct {
	pid      int
	from, to time.Time // to is zero if it was killed while suspended
}

// death is the kill -9 of a process.
type death struct {
	pid int
	at  time.Time // just before the kill

	// writes are the writes of results in order; troubled reports that one failed.
	writes   []write
	troubled bool
}

// write is a write of results; to is zero if it had not ended at the kill.
type write struct{ from, to time.Time }

// start starts a process under the node's name.
func (n *node) start() error {
	n.runs++
	who := n.name
	if n.twin {
		who += "-twin"
	}
	n.log = filepath.Join(n.c.dir, "logs", fmt.Sprintf("%s.%03d.log", who, n.runs))
	if err := os.MkdirAll(filepath.Dir(n.log), 0o755); err != nil {
		return err
	}
	log, err := os.Create(n.log)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own handle
	cmd := n.c.command([]string{"BOTWORK_WORKER_NAME=" + n.name}, "run")
	if n.c.contained {
		n.c.processes++
		n.id = n.c.processes
		cmd = contain(cmd)
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", ledger.ProcessVariable, n.id))
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	n.tame = cmd.Process
	if n.c.contained {
		if n.tame, err = inside(cmd.Process.Pid); err != nil {
			return err
		}
	} else {
		n.id = n.tame.Pid
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit code is checked
		close(done)
	}()
	n.cmd, n.done, n.dead, n.asked, n.slept, n.pause, n.force = cmd, done, false, false, false, nil, time.Time{}
	return nil
}

// pid returns the number of the process in the ledger.
func (n *node) pid() int { return n.id }

// ended reports whether the process has ended.
func (n *node) ended() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// started reports whether the process has logged that it started.
func (n *node) started() bool {
	text, err := os.ReadFile(n.log)
	return err == nil && strings.Contains(string(text), "worker started")
}

func (n *node) signal(sig os.Signal) {
	n.c.Helper()
	if err := n.tame.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		n.c.Errorf("%s: %v", n.name, err)
	}
}

// kill ends the process like a power cut.
func (n *node) kill() death {
	d := death{pid: n.pid(), at: time.Now()}
	n.signal(syscall.SIGKILL)
	<-n.done
	n.dead = true
	text, err := os.ReadFile(n.log)
	if err != nil {
		n.c.Error(err)
	}
	d.readLog(text)
	return d
}

// suspend stops the process.
func (n *node) suspend(until time.Time) *pause {
	n.pause = &pause{pid: n.pid(), from: time.Now()}
	n.signal(syscall.SIGSTOP)
	n.until, n.slept = until, true
	return n.pause
}

// resume continues a suspended process.
func (n *node) resume() {
	n.pause.to = time.Now()
	n.signal(syscall.SIGCONT)
	n.pause = nil
}

// terminate asks the process to drain. A suspended process notices it when it
// is resumed.
func (n *node) terminate() {
	n.signal(syscall.SIGTERM)
	n.asked = true
}

// endByForce sends the second signal.
func (n *node) endByForce() {
	n.signal(syscall.SIGTERM)
	n.force = time.Time{}
}

// atWork reports whether the process is live, not suspended, and not draining.
func (n *node) atWork() bool { return !n.dead && n.pause == nil && !n.asked && !n.ended() }

// end makes sure that no process outlives the test.
func (n *node) end() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	<-n.done
}

// endedByForce reports whether the process logged a forced exit.
func (n *node) endedByForce() bool {
	text, err := os.ReadFile(n.log)
	return err == nil && strings.Contains(string(text), "botwork: forced exit;")
}

// refused reports whether the process ended because another one has its name: that
// process had it first, or took it over after this one could not renew its lease,
// because it was suspended or because a suspended process held the lock of the database.
func (n *node) refused() bool {
	log := n.logged()
	return strings.Contains(log, fmt.Sprintf("worker name %q is taken by process ", n.name)) ||
		strings.Contains(log, "worker replaced: another process has registered under this name") &&
			(n.slept || strings.Contains(log, "heartbeat failed; "))
}

// logged returns what the process has logged.
func (n *node) logged() string {
	text, err := os.ReadFile(n.log)
	if err != nil {
		n.c.Error(err)
	}
	return string(text)
}

// lastWords returns the end of the log of the process.
func (n *node) lastWords() string {
	lines := strings.Split(strings.TrimSpace(n.logged()), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// fault returns the line with which the process reported a crash; "" if it
// did not crash.
func (n *node) fault() string {
	text, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, `"message":"panic`) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
