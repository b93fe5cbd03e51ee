package programs

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startOf returns when a process started, in ticks since the system did; false if
// there is no such process.
func startOf(pid int) (uint64, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// pid (name) state …; the name may hold anything, also brackets. The state is
	// field 3, the start is field 22.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, false
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	return start, err == nil
}

// killMarked kills all processes whose environment names one of the runs, and
// reports whether it found any. They may have left the program's group.
func killMarked(programs ...*program) (found bool) {
	names := map[string]bool{}
	for _, p := range programs {
		names[p.name] = true
	}
	return killNamed(names)
}

func killNamed(names map[string]bool) (found bool) {
	if len(names) == 0 {
		return false
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || !names[runOf(pid)] {
			continue
		}
		// From here on the process is meant, not its number. Another may have got
		// that since the look.
		process, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if names[runOf(pid)] {
			found = process.Kill() == nil || found
		}
		_ = process.Release()
	}
	return found
}

// runOf returns the run that a process belongs to by its environment, "" if none
// or if it may not be read.
func runOf(pid int) string {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for pair := range bytes.SplitSeq(environ, []byte{0}) {
		if name, ok := bytes.CutPrefix(pair, []byte(Variable+"=")); ok {
			return string(name)
		}
	}
	return ""
}
