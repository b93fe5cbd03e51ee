//go:build unix

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/tests/testbuild"
)

// patience is the limit of every wait in these tests; no wait should come near it.
var patience = testdb.Slow(30 * time.Second)

// program is a running botwork. Its output on both streams is collected in one text, like
// on a terminal.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	args string
	done chan struct{} // closed when it has ended

	*testbuild.Output
}

// command returns a botwork command with only the given variables and those
// that every program needs.
func command(t *testing.T, dir string, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, environ...)
	return cmd
}

// start starts a botwork that ends with the test.
func start(t *testing.T, cmd *exec.Cmd) *program {
	t.Helper()
	p := &program{t: t, cmd: cmd, args: strings.Join(cmd.Args[1:], " "), done: make(chan struct{}), Output: testbuild.NewOutput()}
	if cmd.Stdout == nil {
		cmd.Stdout = p
	}
	if cmd.Stderr == nil {
		cmd.Stderr = p
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // the exit code is checked
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("output of botwork %s:\n%s", p.args, p.String())
		}
	})
	return p
}

// await waits until the program has printed a text this number of times.
func (p *program) await(text string, times int) {
	p.t.Helper()
	if err := p.Await(p.done, patience, func(printed string) bool { return strings.Count(printed, text) >= times }); err != nil {
		p.t.Fatalf("botwork %s did not print %q %d times: %v", p.args, text, times, err)
	}
}

func (p *program) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// signalAgain sends a signal that counts separately from the previous one: two
// signals within a second count as one.
func (p *program) signalAgain(sig os.Signal) {
	p.t.Helper()
	<-time.After(1100 * time.Millisecond)
	p.signal(sig)
}

// kill ends the program like a crash, and waits for its end.
func (p *program) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	p.wait()
}

// wait waits for the program's end and returns its exit code.
func (p *program) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("botwork %s did not end within %v", p.args, patience)
	}
	return p.code()
}

func (p *program) code() int { return p.cmd.ProcessState.ExitCode() }

// wantDrained asks the program to stop and fails unless it ends gracefully.
func (p *program) wantDrained(sig os.Signal) {
	p.t.Helper()
	p.signal(sig)
	p.wantStopped()
}

// wantStopped fails unless the program ends gracefully.
func (p *program) wantStopped() {
	p.t.Helper()
	if code := p.wait(); code != 0 || !strings.Contains(p.String(), "worker stopped") {
		p.t.Errorf("botwork %s: exit code %d, want 0 and the words \"worker stopped\"", p.args, code)
	}
}
