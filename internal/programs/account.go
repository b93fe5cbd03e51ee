// Package programs runs other programs so that none outlives this process.
//
// An Account knows the programs that run. Each is killed with all that it has
// started when its context ends, and when it ends and leaves processes behind. For
// the end of this process there are several nets, since a process that is killed
// can do nothing any more:
//
//   - On Windows each program runs in a job object. The system kills its processes
//     when this process ends, however it ends.
//   - On Linux the kernel kills the program itself when this process ends, but not
//     what the program has started. That is done by a watcher: a process of the
//     same executable that reads from a pipe which programs run. When the pipe
//     closes, it kills their process groups, and whatever carries a variable that
//     names a run in its environment. An account made by New has no watcher.
//   - Before a process exits by force it calls Kill.
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

// Account knows the programs of this process. It may be used from several
// goroutines at once.
type Account struct {
	name string // differs from those of all other accounts

	mu      sync.Mutex
	count   int
	running map[*program]bool
	killed  bool // by Kill
	watcher *watcher
}

// New returns an account without a watcher: on Linux, what a program has started
// survives if this process is killed.
func New() *Account {
	return &Account{name: rand.Text(), running: map[*program]bool{}}
}

// Watched returns an account with a watcher, which starts with the first program.
// The main function of this executable has to call Watch if IsWatcher says so.
// Systems other than Linux need no watcher and get none.
func Watched() *Account {
	a := New()
	a.watcher = newWatcher()
	return a
}

// Run starts the command, which was made with ctx, and waits for its end. When it
// returns, no process of the program's group or job is left. It sets cmd.SysProcAttr
// and cmd.Cancel, and adds Variable to cmd.Env. Trouble with the watcher is logged.
//
// After Kill it does not return, so that the end of a killed program is not taken for its
// failure.
func (a *Account) Run(ctx context.Context, cmd *exec.Cmd, log zerolog.Logger) error {
	deadline, _ := ctx.Deadline()
	p := a.begin(deadline, log)
	defer a.end(p)
	cmd.Env = append(cmd.Environ(), Variable+"="+p.name)
	return p.run(cmd, func() { a.started(p) })
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

// end removes a program of which nothing runs any more.
func (a *Account) end(p *program) {
	a.mu.Lock()
	a.hangIfKilledLocked()
	defer a.mu.Unlock()
	delete(a.running, p)
	a.watcher.end(a, p)
}

// hangIfKilledLocked lets the caller wait for the end of the process.
func (a *Account) hangIfKilledLocked() {
	if a.killed {
		a.mu.Unlock()
		select {}
	}
}

// Kill kills all programs, with all that they have started, and returns how many
// there were. It is for a process that exits at once: no call of Run returns after
// it, and no program starts.
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

// program is one that runs or is about to.
type program struct {
	name     string    // value of Variable
	deadline time.Time // zero: none

	mu     sync.Mutex
	tree   tree // zero before the start and after the end
	doomed bool // killed, maybe before it started
}

// arm makes the tree the one that kill kills.
func (p *program) arm(t tree) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree = t
	if p.doomed {
		_ = t.kill()
	}
}

// disarm makes kill do nothing, and returns the tree.
func (p *program) disarm() tree {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tree
	p.tree = tree{}
	return t
}

// kill kills the program now, or as soon as it has started.
func (p *program) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doomed = true
	return p.tree.kill()
}
