package programs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func init() {
	roles["script"] = func(args []string) int { return scriptWorker(args[0], args[1], args[2]) }
}

// scriptWorker runs a script a number of times at once, with its two pipes and a timeout. It prints
// the result of the first one that ends, and waits until it is killed.
func scriptWorker(timeout, script, times string) int {
	limit, err := time.ParseDuration(timeout)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	n, err := strconv.Atoi(times)
	if err != nil {
		panic(err)
	}
	says, hears := os.NewFile(3, "says"), os.NewFile(4, "hears")
	account := Watched()
	stdin := bufio.NewReader(os.Stdin)
	closed := make(chan bool)
	go func() {
		// The test has the pipes, and knows when the program has started.
		stdin.ReadString('\n')
		says.Close()
		hears.Close()
		fmt.Println("closed")
		close(closed)
	}()
	ends := make(chan error)
	for range n {
		cmd := exec.CommandContext(ctx, "sh", "-c", script)
		cmd.ExtraFiles = []*os.File{says, hears}
		go func() { ends <- account.Run(ctx, cmd, zerolog.Nop()) }()
	}
	err = <-ends
	<-closed
	fmt.Println("ended:", err, context.Cause(ctx))
	select {} // until it is killed
}

// worker is a process that runs a script. The pipe has the output of the script's descriptor 3,
// and ends when the last process with it ends.
type worker struct {
	*testing.T
	cmd    *exec.Cmd
	says   *bufio.Reader
	hears  *os.File
	stdout *bufio.Reader
}

// startWorker starts a worker and waits until the script has written "ready".
func startWorker(t *testing.T, timeout time.Duration, script string) *worker {
	t.Helper()
	return startBusyWorker(t, timeout, script, 1)
}

// startBusyWorker starts a worker that runs the script n times at once, and waits until each script
// has written "ready".
func startBusyWorker(t *testing.T, timeout time.Duration, script string, n int) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	says, sayer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	hearer, hears, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, timeout.String(), script, strconv.Itoa(n))
	cmd.Env = append(os.Environ(), roleVariable+"=script")
	cmd.ExtraFiles = []*os.File{sayer, hearer}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.Start(), sayer.Close(), hearer.Close()); err != nil {
		t.Fatal(err)
	}
	w := &worker{T: t, cmd: cmd, says: bufio.NewReader(says), hears: hears, stdout: bufio.NewReader(stdout)}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		says.Close()
		hears.Close()
	})
	if err := says.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for range n {
		w.wantOutput("ready")
	}
	fmt.Fprintln(stdin, "close")
	w.wantPrinted("closed")
	return w
}

func (w *worker) wantPrinted(text string) {
	w.Helper()
	if line, err := w.stdout.ReadString('\n'); err != nil || !strings.Contains(line, text) {
		w.Errorf("the worker printed %q, %v, want %q", line, err, text)
	}
}

func (w *worker) wantOutput(text string) {
	w.Helper()
	if line, err := w.says.ReadString('\n'); err != nil || line != text+"\n" {
		w.Fatalf("the script wrote %q, %v, want %q", line, err, text)
	}
}

// wantDead waits until no process has the script's pipe.
func (w *worker) wantDead() {
	w.Helper()
	if rest, err := io.ReadAll(w.says); err != nil || len(rest) > 0 {
		w.Errorf("the script's pipe: %q, %v, want its end: a process of the run still runs", rest, err)
	}
}

func (w *worker) signal(sig os.Signal) {
	w.Helper()
	if err := w.cmd.Process.Signal(sig); err != nil {
		w.Fatal(err)
	}
}

// watcher returns the process that watches the worker's programs, other than other.
func (w *worker) watcher(other int) int {
	w.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", w.cmd.Process.Pid))
		if err != nil {
			w.Fatal(err)
		}
		for _, path := range children {
			text, _ := os.ReadFile(path) // the thread may have ended
			for child := range strings.FieldsSeq(string(text)) {
				line, _ := os.ReadFile("/proc/" + child + "/cmdline")
				if pid, _ := strconv.Atoi(child); pid != other && strings.Contains(string(line), watcherArgument) {
					return pid
				}
			}
		}
	}
	w.Fatal("the worker has no watcher")
	return 0
}

// Each script is a program that starts others, and then writes that it is ready.
var scripts = map[string]string{
	"a program":                  "echo ready >&3; exec sleep 1000",
	"child process":              "sleep 1000 & echo ready >&3; wait",
	"child in a new group":       "setsid sh -c 'echo ready >&3; exec sleep 1000' & wait",
	"orphan in the same group":   "(sh -c 'echo ready >&3; sleep 1000; true' &) ; sleep 1000",
	"ignores signals":            "trap '' TERM HUP INT; echo ready >&3; while :; do sleep 1; done",
	"replaces itself repeatedly": "S='exec sh -c \"$S\"'; export S; echo ready >&3; setsid sh -c \"$S\" & wait",
	"orphan in a new group":      "(setsid sh -c 'sh -c \"echo ready >&3; sleep 1000; true\" &'); sleep 1000",
}

func TestProgramsOfKilledWorkerAreKilled(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorker(t, time.Hour, script)
			w.signal(syscall.SIGKILL)
			w.wantDead()
		})
	}
}

func TestWatcherIsReplaced(t *testing.T) {
	t.Parallel()
	w := startWorker(t, time.Hour, scripts["child process"])
	first := w.watcher(0)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitIgnoresSignals(t, w.watcher(first))
	w.signal(syscall.SIGKILL)
	w.wantDead()
}

// The lines of 100 programs are more than the pipe has before the watcher reads.
func TestWatcherOfManyProgramsIsReplaced(t *testing.T) {
	t.Parallel()
	w := startBusyWorker(t, time.Hour, scripts["child process"], 100)
	first := w.watcher(0)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitIgnoresSignals(t, w.watcher(first))
	w.signal(syscall.SIGKILL)
	w.wantDead()
}

func TestWatcherIgnoresSignals(t *testing.T) {
	t.Parallel()
	w := startWorker(t, time.Hour, scripts["child process"])
	pid := w.watcher(0)
	start, _ := startOf(pid)
	awaitIgnoresSignals(t, pid)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("the watcher is in the group %d, %v, want its own: Ctrl-C goes to the worker's group", group, err)
	}
	w.signal(syscall.SIGKILL)
	w.wantDead()
	waitGone(t, pid, start)
}

// awaitIgnoresSignals waits until a watcher ignores signals.
func awaitIgnoresSignals(t *testing.T, pid int) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(comm)) == watcherName {
			return
		}
	}
	t.Fatalf("process %d does not have the name %s", pid, watcherName)
}

// waitGone waits for the end of a process that is not a child of this one. A zombie counts
// as ended.
func waitGone(t *testing.T, pid int, start uint64) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if now, ok := startOf(pid); len(line) == 0 || !ok || now != start {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

func TestTimeoutAppliesWhileWorkerIsSuspended(t *testing.T) {
	t.Parallel()
	w := startWorker(t, time.Second, "sleep 1000 & setsid sleep 1000 & echo ready >&3; wait")
	w.signal(syscall.SIGSTOP)
	w.wantDead()
	w.signal(syscall.SIGCONT)
	w.wantPrinted("context deadline exceeded")
}

// A program that starts a service and ends does not end the service.
func TestServiceOfEndedProgramStays(t *testing.T) {
	t.Parallel()
	left := filepath.Join(t.TempDir(), "left") // the group
	w := startWorker(t, time.Hour, fmt.Sprintf(`setsid sh -c 'touch %[1]s; echo ready >&3; read line <&4; echo alive >&3' </dev/null >/dev/null 2>&1 &
		until test -e %[1]s; do sleep 0.01; done`, left))
	w.wantPrinted("ended: <nil>")
	watcher := w.watcher(0)
	start, _ := startOf(watcher)
	w.signal(syscall.SIGKILL)
	waitGone(t, watcher, start)
	fmt.Fprintln(w.hears, "speak")
	w.wantOutput("alive")
}
