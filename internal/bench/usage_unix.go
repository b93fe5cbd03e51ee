//go:build unix

package bench

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usedCPU returns the CPU time that this process has used.
func usedCPU() time.Duration {
	u := rusage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resetPeak resets peakMemory, which only Linux supports.
func resetPeak() {
	if file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString("5") // if it fails, the peak is that of the whole process, which is larger
		_ = file.Close()
	}
}

// peakMemory returns the largest resident memory of this process in bytes: on Linux since
// resetPeak, elsewhere since the process started.
func peakMemory() int64 {
	if kilobytes, ok := statusOf("VmHWM"); ok {
		return kilobytes << 10
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1 // the unit is bytes here, kilobytes elsewhere
	}
	return int64(rusage().Maxrss) * unit //nolint:unconvert // int32 on some machines
}

// memoryNow returns the resident memory of this process in bytes; 0 if the system only
// reports the peak.
func memoryNow() int64 {
	kilobytes, _ := statusOf("VmRSS")
	return kilobytes << 10
}

func rusage() unix.Rusage {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // fails only for an invalid argument
	return u
}

// statusOf reads a line such as "VmHWM: 1234 kB" from /proc/self/status on Linux.
func statusOf(key string) (kilobytes int64, ok bool) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), key+":"); found {
			_, err := fmt.Sscan(rest, &kilobytes)
			return kilobytes, err == nil
		}
	}
	return 0, false
}
