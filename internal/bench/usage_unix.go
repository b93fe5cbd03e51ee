//go:build unix

package bench

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// usedCPU is the CPU time of this process so far.
func usedCPU() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the largest resident memory of this process so far, in bytes.
func peakMemory() int64 {
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1 // counts bytes, the others kilobytes
	}
	return int64(usage().Maxrss) * unit //nolint:unconvert // 32 bits on some machines
}

func usage() unix.Rusage {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // fails only for a wrong argument
	return u
}
