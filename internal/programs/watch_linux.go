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

// watcherName is the name of a watcher in the process list.
const watcherName = "program-watcher"

// IsWatcher reports whether this process was started as a watcher.
func IsWatcher(args []string) bool { return len(args) == 2 && args[1] == watcherArgument }

// Watch runs a watcher and returns its exit code. It reads from the pipe which programs
// run, kills those whose deadline has passed, and kills all of them when the pipe closes.
func Watch(pipe *os.File) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	_ = os.WriteFile("/proc/self/comm", []byte(watcherName), 0)
	closeInherited()
	w := watchList{}
	var rest []byte
	buffer := make([]byte, 16<<10)
	for {
		// Read everything in the pipe before killing: a program whose deadline has passed
		// may have ended in the meantime.
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

// watchList is the running programs, by their names.
type watchList map[string]*watched

type watched struct {
	tree tree  // zero until it has started
	late int64 // when to kill it, by the monotonic clock; 0: never
}

// read processes a line from the pipe.
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

// wait returns the time until the next deadline in milliseconds; -1: there is none.
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

// killLate kills the programs whose deadline has passed.
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
	// A process may start others while the process list is read, but not forever:
	// processes that are left after that many rounds cannot be killed by a signal.
	for range 100 {
		if !killNamed(names) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// closeInherited closes the files that the watcher has inherited from the starter of the watched
// process: another process may wait until they are closed.
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
		// Files that this process opened itself are closed on exec.
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}
