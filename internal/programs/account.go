// Package programs runs other programs so that none outlives this process.
//
// An Account manages the running programs. When the context of a program ends, the
// program is killed with all processes that it has started. When a program ends, its
// remaining processes are killed. There are several mechanisms for the end of this
// process, because a killed process cannot clean up:
//
//   - On Windows each program runs in a job object. The system kills its processes
//     when this process ends, however it ends.
//   - On Linux the kernel kills the program itself when this process ends, but not
//     the processes that the program has started. These are killed by a watcher: a
//     process of the same executable that reads from a pipe which programs run. When
//     the pipe closes, it kills their process groups, and all processes with a
//     variable in their environment that names a run. An account created by New has
//     no watcher.
//   - Before a process exits without waiting for programs, it calls Kill.
//
// On Linux a process survives if it has left its group and also removed the
// variable, or if it runs as another user.
package programs

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Variable is in the environment of each program. Its value names the run.
const Variable = "BOTWORK_RUN"

// Account manages the programs of this process. It is safe for concurrent use.
type Account struct {
	name string // differs from those of all other accounts

	mu      sync.Mutex
	count   int
	running map[*program]bool
	killed  bool // by Kill
	watcher *watcher
}

// New returns an account without a watcher: on Linux, processes that a program has
// started survive if this process is killed.
func New() *Account {
	return &Account{name: rand.Text(), running: map[*program]bool{}}
}

// Watched returns an account with a watcher, which starts with the first program.
// The main function of this executable must call Watch if IsWatcher returns true.
// On systems other than Linux there is no watcher.
func Watched() *Account {
	a := New()
	a.watcher = newWatcher()
	return a
}

// Run starts the command, which was made with ctx, and waits for its end. When it
// returns, no process of the program's group or job is left. It sets cmd.SysProcAttr
// and cmd.Cancel, and adds Variable to cmd.Env. Errors of the watcher are logged.
// If the program fails after the deadline of ctx, ctx is done by then.
//
// After Kill it does not return, so that a killed program does not count as failed.
func (a *Account) Run(ctx context.Context, cmd *exec.Cmd, log zerolog.Logger) error {
	deadline, _ := ctx.Deadline()
	p := a.begin(deadline, log)
	defer a.end(p)
	cmd.Env = append(cmd.Environ(), Variable+"="+p.name)
	err := p.run(cmd, func() { a.started(p) })
	if err != nil && !deadline.IsZero() && !time.Now().Before(deadline) {
		// While this process was suspended the watcher has kept its deadline, and the end of the
		// program may be noticed before the context's own timer.
		<-ctx.Done()
	}
	return err
}

// begin enters a program that is about to start.
func (a *Account) begin(deadline time.Time, log zerolog.Logger) *program {
	a.mu.Lock()
	a.hangIfKilledLocked()
	defer a.mu.Unlock()
	a.count++
	p := &program{name: fmt.Sprintf("%s-%d", a.name, a.count), deadline: deadline}
	a.running[p] = true
	a.watcher.begin(a, p, log)
	return p
}

// started records that a program can be killed now.
func (a *Account) started(p *program) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watcher.started(a, p)
}

// end removes a program that has ended with all its processes.
func (a *Account) end(p *program) {
	a.mu.Lock()
	a.hangIfKilledLocked()
	defer a.mu.Unlock()
	delete(a.running, p)
	a.watcher.end(a, p)
}

// hangIfKilledLocked blocks the caller until the process ends, if Kill was called.
func (a *Account) hangIfKilledLocked() {
	if a.killed {
		a.mu.Unlock()
		select {}
	}
}

// Kill kills all programs with all processes that they have started, and returns the
// number of programs. It is for a process that exits at once: afterwards no call of Run
// returns, and no program starts.
func (a *Account) Kill() int {
	a.mu.Lock()
	a.killed = true
	var all []*program
	for p := range a.running {
		all = append(all, p)
	}
	a.mu.Unlock()
	for _, p := range all {
		_ = p.kill()
	}
	killMarked(all...)
	return len(all)
}

// Close ends the watcher. Programs that still run are killed on Linux as if this
// process had ended.
func (a *Account) Close() {
	a.mu.Lock()
	w := a.watcher
	a.watcher = nil
	a.mu.Unlock()
	w.close()
}

// program is a program that runs or is about to start.
type program struct {
	name     string    // value of Variable
	deadline time.Time // zero: none

	mu     sync.Mutex
	tree   tree // zero before the start and after the end
	killed bool // perhaps before it started
}

// arm sets the tree that kill kills.
func (p *program) arm(t tree) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree = t
	if p.killed {
		_ = t.kill()
	}
}

// disarm removes the tree, so that kill does nothing, and returns it.
func (p *program) disarm() tree {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tree
	p.tree = tree{}
	return t
}

// kill kills the program now, or as soon as it starts.
func (p *program) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	return p.tree.kill()
}
