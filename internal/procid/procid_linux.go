package procid

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// currentScope names the boot of the kernel, the pid namespace and the time namespace.
//
// The number of a namespace is reused after the last process in it has ended. The scope
// of an ended process can therefore be equal to ours although its namespace was another
// one. The result is still correct: a namespace exists as long as any process in it, so
// that process has ended, and [state] finds no process with its id and start time.
//
// The time namespace matters because start times are shown with its offset, which is
// fixed before its first process runs. Kernels before 5.6 have no time namespaces.
//
// A virtual machine that is cloned with its memory has the same scope as its original;
// only the host name distinguishes the two, and callers compare it as well.
func currentScope() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	if err := ownProc(); err != nil {
		return "", err
	}
	pids, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", err
	}
	clocks, err := os.Readlink("/proc/self/ns/time")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	scope := strings.Join([]string{"linux", strings.TrimSpace(string(boot)), pids, clocks}, " ")
	if strings.Contains(scope, "/") {
		return "", fmt.Errorf("scope %q: want no slash", scope)
	}
	return scope, nil
}

// ownProc returns an error unless /proc shows the pid namespace of this process. After
// `unshare --pid` without a new /proc it shows another namespace, in which our ids belong
// to other processes. NSpid lists the ids of a process in the namespace of /proc and in the
// nested ones of the process: one id means that both namespaces are the same.
func ownProc() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		ids, ok := strings.CutPrefix(line, "NSpid:")
		if !ok {
			continue
		}
		if ids = strings.TrimSpace(ids); ids != strconv.Itoa(os.Getpid()) {
			return fmt.Errorf("/proc shows another pid namespace: this process has the ids %s in it", ids)
		}
		return nil
	}
	return errors.New("/proc/self/status has no NSpid")
}

// stat has the needed fields of /proc/PID/stat.
type stat struct {
	state   string
	threads int
	start   string // in clock ticks since the boot
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat reads "pid (name) state …". The name may contain any character, including
// parentheses.
func parseStat(text string) (stat, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // from the third field on
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("%q has %d fields after the name, want 20 or more", text, len(fields))
	}
	threads, err := strconv.Atoi(fields[17])
	return stat{state: fields[0], threads: threads, start: fields[19]}, err
}

func startOf(pid int) (string, error) {
	s, err := readStat(pid)
	return s.start, err
}

// state returns the state of a process of our own scope.
func state(p identity) State {
	// A missing /proc/PID does not prove anything: hidepid hides the processes of other users.
	if errors.Is(unix.Kill(p.pid, 0), unix.ESRCH) {
		return Ended
	}
	now, err := readStat(p.pid)
	switch {
	case err != nil:
		return Unknown
	case now.start != p.start:
		return Ended // its id was reused
	case now.state != "Z" && now.state != "X":
		return Running
	case now.threads > 1:
		return Running // the first thread has ended, others have not
	default:
		return Ended // its parent has not waited for it
	}
}
