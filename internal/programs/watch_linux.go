package programs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watcherName is how a watcher appears in the list of processes.
const watcherName = "program-watcher"

// IsWatcher reports whether this process was started to be a watcher.
func IsWatcher(args []string) bool { return len(args) == 2 && args[1] == watcherArgument }

// Watch does the work of a watcher and returns its exit code: it reads from the
// pipe which programs run, kills those whose deadline has passed, and all of them
// when the pipe closes.
func Watch(pipe *os.File) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	_ = os.WriteFile("/proc/self/comm", []byte(watcherName), 0)
	closeInherited()
	w := watchList{}
	var rest []byte
	buffer := make([]byte, 16<<10)
	for {
		// Nothing is killed before all is read that the pipe holds: a program whose
		// time is over may have ended meanwhile.
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLIN}}, w.wait())
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 1
		}
		if err == nil && ready == 0 {
			w.killLate()
		}
		if err != nil || ready == 0 {
			continue
		}
		n, err := pipe.Read(buffer)
		if errors.Is(err, io.EOF) {
			w.killAll()
			return 0
		}
		if err != nil {
			return 1
		}
		rest = append(rest, buffer[:n]...)
		for {
			line, more, whole := bytes.Cut(rest, []byte("\n"))
			if !whole {
				break
			}
			w.read(string(line))
			rest = more
		}
	}
}

// watchList is what a watcher knows: the programs that run, by their names.
type watchList map[string]*watched

type watched struct {
	tree tree  // zero until it has started
	late int64 // when it is killed, by the monotonic clock; 0: never
}

// read takes a line of the pipe.
func (w watchList) read(line string) {
	var (
		name string
		one  watched
	)
	if n, _ := fmt.Sscanf(line, "begin %s %d", &name, &one.late); n == 2 {
		w[name] = &one
		return
	}
	if n, _ := fmt.Sscanf(line, "started %s %d %d", &name, &one.tree.group, &one.tree.start); n == 3 {
		if known := w[name]; known != nil {
			known.tree = one.tree
		}
		return
	}
	if n, _ := fmt.Sscanf(line, "end %s", &name); n == 1 {
		delete(w, name)
	}
}

// wait returns how long nothing is to be done, in milliseconds; -1 is for ever.
func (w watchList) wait() int {
	first := int64(0)
	for _, one := range w {
		if one.late != 0 && (first == 0 || one.late < first) {
			first = one.late
		}
	}
	if first == 0 {
		return -1
	}
	left := time.Duration(first - monotonic())
	return int(min(max(left, 0)/time.Millisecond+1, time.Hour/time.Millisecond))
}

// killLate kills the programs whose time is over.
func (w watchList) killLate() {
	now := monotonic()
	late := map[string]bool{}
	for name, one := range w {
		if one.late != 0 && one.late <= now {
			_ = one.tree.kill()
			one.late, late[name] = 0, true
		}
	}
	killNamed(late)
}

// killAll kills all programs.
func (w watchList) killAll() {
	names := map[string]bool{}
	for name, one := range w {
		_ = one.tree.kill()
		names[name] = true
	}
	// A process may start others while the list is read, but it cannot do so for
	// ever: what is left after that many rounds is not killed by a signal.
	for range 100 {
		if !killNamed(names) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// closeInherited closes the files that the starter of the watched process left open for it: some
// other process may wait for their end.
func closeInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 {
			continue
		}
		// Those of this process itself are closed on exec.
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}
