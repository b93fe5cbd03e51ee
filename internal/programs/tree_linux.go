package programs

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Fields of /proc/PID/stat as [statOf] returns them: those of proc(5) less 3.
const (
	statStart    = 22 - 3
	statMemory   = 23 - 3 // bytes of virtual memory
	statEnvStart = 50 - 3 // address
	statEnvEnd   = 51 - 3 // address
)

// statOf returns the fields of /proc/PID/stat from the third one (the state) on; nil if there
// is no such process.
func statOf(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// pid (name) state …; the name may contain any character, including parentheses.
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// startOf returns when a process started, in ticks since the start of the system; false if
// there is no such process.
func startOf(pid int) (uint64, bool) {
	fields := statOf(pid)
	if len(fields) <= statStart {
		return 0, false
	}
	start, err := strconv.ParseUint(fields[statStart], 10, 64)
	return start, err == nil
}
