package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

const (
	// watcherArgument is what a watcher gets as its only argument.
	watcherArgument = "botwork-program-watcher"

	// watcherGrace is how long after a program's deadline the watcher kills it. A
	// process that is not suspended has done so itself by then.
	watcherGrace = 250 * time.Millisecond

	// watcherPatience is how long a watcher may take to read its instructions, and to end.
	watcherPatience = 2 * time.Second

	// watcherLife is how long a watcher lives at least, to be replaced at once.
	watcherLife = time.Second

	// pipeLeast is how much every empty pipe takes at once: a page. Most hold 16, but not
	// those of a user who has many (pipe-user-pages-soft in pipe(7)).
	pipeLeast = 4 << 10
)

// watcher is the watcher as this process sees it. The account's mutex guards it.
type watcher struct {
	current *watching // nil: none runs
	warned  bool      // that none could be started
}

// watching is one process that watches.
type watching struct {
	cmd   *exec.Cmd
	pipe  *os.File
	began time.Time
	done  chan struct{} // closed when it has ended
}

func newWatcher() *watcher { return &watcher{} }

// begin announces a program that is about to start: from now on the watcher kills processes that
// carry its name.
func (w *watcher) begin(a *Account, p *program, log zerolog.Logger) {
	if err := w.tell(a, lineBegin(p)); err != nil && !w.warned {
		w.warned = true
		log.Warn().Err(err).Msg("the watcher of programs cannot be started: if this process is killed, what its programs have started may survive")
	}
}

func (w *watcher) started(a *Account, p *program) { _ = w.tell(a, lineStarted(p)) }

func (w *watcher) end(a *Account, p *program) { _ = w.tell(a, lineEnd(p)) }

// tell writes to the watcher. If there is none, or if it does not read, it starts one and sends
// it all programs. The error says that there is none.
func (w *watcher) tell(a *Account, line string) error {
	if w == nil || w.current != nil && w.write(line) {
		return nil
	}
	return w.start(a)
}

// write reports whether there still is a watcher.
func (w *watcher) write(lines string) bool {
	err := w.current.pipe.SetWriteDeadline(time.Now().Add(watcherPatience))
	if err == nil {
		_, err = w.current.pipe.WriteString(lines)
	}
	if err != nil {
		w.abandon()
	}
	return err == nil
}

// abandon kills the watcher before it could read the closed pipe and take this
// process for dead.
func (w *watcher) abandon() {
	_ = w.current.cmd.Process.Kill()
	<-w.current.done
	_ = w.current.pipe.Close()
	w.current = nil
}

// start starts a watcher and sends it all programs.
func (w *watcher) start(a *Account) error {
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	var lines strings.Builder
	for p := range a.running {
		lines.WriteString(lineBegin(p) + lineStarted(p))
	}
	// As much as fits for certain is in the pipe before anybody reads it: if this process
	// is killed from now on, the new watcher knows what to do.
	first := lines.String()[:min(lines.Len(), pipeLeast)]
	if _, err := out.WriteString(first); err != nil {
		return errors.Join(err, out.Close())
	}
	// Not the file that was started: it may have been replaced by an upgrade.
	cmd := exec.Command("/proc/self/exe", watcherArgument)
	// Signals to "botwork" are not meant for it.
	cmd.Args[0] = watcherName
	cmd.Dir, cmd.Stdin = "/", in
	// The parent's variable would let a watcher above kill this one before it has
	// done its work.
	cmd.Env = withoutVariable(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C in a terminal is not for it
	if err := cmd.Start(); err != nil {
		return errors.Join(err, out.Close())
	}
	current := &watching{cmd: cmd, pipe: out, began: time.Now(), done: make(chan struct{})}
	w.current = current
	go func() {
		_ = cmd.Wait()
		close(current.done)
		a.replace(current)
	}()
	if !w.write(lines.String()[len(first):]) {
		return errors.New("it does not read")
	}
	return nil
}

// replace starts another watcher when one has ended, while programs run. One that did not
// even live for [watcherLife] is replaced when that is over, not again and again at once.
func (a *Account) replace(ended *watching) {
	time.Sleep(watcherLife - time.Since(ended.began))
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.watcher == nil || a.watcher.current != ended {
		return
	}
	a.watcher.current = nil
	_ = ended.pipe.Close()
	if len(a.running) > 0 {
		_ = a.watcher.start(a)
	}
}

func (w *watcher) close() {
	if w == nil || w.current == nil {
		return
	}
	_ = w.current.pipe.Close()
	select {
	case <-w.current.done:
	case <-time.After(watcherPatience):
	}
}

// The lines of the pipe. A deadline is in nanoseconds of the monotonic clock, which all processes
// of a system share and which stops while the system sleeps, like the timers of this process. 0
// is none.
func lineBegin(p *program) string {
	at := int64(0)
	if !p.deadline.IsZero() {
		at = max(1, monotonic()+int64(time.Until(p.deadline)+watcherGrace))
	}
	return fmt.Sprintf("begin %s %d\n", p.name, at)
}

// lineStarted returns "" if the program has not started.
func lineStarted(p *program) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tree.group == 0 {
		return ""
	}
	return fmt.Sprintf("started %s %d %d\n", p.name, p.tree.group, p.tree.start)
}

func lineEnd(p *program) string { return fmt.Sprintf("end %s\n", p.name) }

func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return now.Nano()
}

func withoutVariable(environ []string) (rest []string) {
	for _, pair := range environ {
		if !strings.HasPrefix(pair, Variable+"=") {
			rest = append(rest, pair)
		}
	}
	return rest
}
