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
	// watcherArgument is the only argument of a watcher.
	watcherArgument = "botwork-program-watcher"

	// watcherGrace is how long after a program's deadline the watcher kills it. By
	// then, a worker that is not suspended has killed it.
	watcherGrace = 250 * time.Millisecond

	// watcherPatience is how long a watcher may take to read its instructions, and to end.
	watcherPatience = 2 * time.Second

	// watcherLife is the minimum lifetime of a watcher that is replaced at once.
	watcherLife = time.Second

	// pipeLeast is how much can be written to every empty pipe at once: a page. Most pipes
	// hold 16 pages, but not those of a user with many pipes (pipe-user-pages-soft in
	// pipe(7)).
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

// begin announces a program that is about to start: from now on the watcher kills processes with
// its name in their environment.
func (w *watcher) begin(a *Account, p *program, log zerolog.Logger) {
	if err := w.send(a, lineBegin(p)); err != nil && !w.warned {
		w.warned = true
		log.Warn().Err(err).Msg("cannot start the watcher of programs: if this process is killed, processes that its programs have started may survive")
	}
}

func (w *watcher) started(a *Account, p *program) { _ = w.send(a, lineStarted(p)) }

func (w *watcher) end(a *Account, p *program) { _ = w.send(a, lineEnd(p)) }

// send writes a line to the watcher. If there is none, or if it does not read, it starts one and
// sends it all programs. It returns an error if there is no watcher.
func (w *watcher) send(a *Account, line string) error {
	if w == nil || w.current != nil && w.write(line) {
		return nil
	}
	return w.start(a)
}

// write writes lines to the watcher, and reports whether it still exists.
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

// abandon kills the watcher. Otherwise it would read the end of the pipe and assume that this
// process has ended.
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
	// Write as much as certainly fits before the watcher reads: if this process is killed
	// from now on, the new watcher already has the programs.
	first := lines.String()[:min(lines.Len(), pipeLeast)]
	if _, err := out.WriteString(first); err != nil {
		return errors.Join(err, out.Close())
	}
	// Not the path of the executable: an upgrade may have replaced the file.
	cmd := exec.Command("/proc/self/exe", watcherArgument)
	// Another name, so that signals to all processes named "botwork" do not reach it.
	cmd.Args[0] = watcherName
	cmd.Dir, cmd.Stdin = "/", in
	// With the variable of the parent, an outer watcher could kill this one before it has
	// killed its programs.
	cmd.Env = withoutVariable(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that Ctrl-C in a terminal does not reach it
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

// replace starts another watcher when one has ended while programs run. A watcher that ended
// before [watcherLife] is replaced only after that time.
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

// The lines in the pipe. A deadline is in nanoseconds of the monotonic clock, which is the same for
// all processes of a system and stops while the system is suspended, like the timers of this
// process. 0: no deadline.
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
