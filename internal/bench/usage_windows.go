package bench

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// usedCPU returns the CPU time that this process has used.
func usedCPU() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // of 100 ns
}

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is the Windows structure PROCESS_MEMORY_COUNTERS.
type memoryCounters struct {
	size, pageFaults                                 uint32
	peakWorkingSet, workingSet                       uintptr
	peakPagedPool, pagedPool, peakNonPaged, nonPaged uintptr
	pagefile, peakPagefile                           uintptr
}

// resetPeak does nothing: Windows only has the peak since the start of the process.
func resetPeak() {}

// peakMemory returns the largest resident memory of this process in bytes.
func peakMemory() int64 { return int64(counters().peakWorkingSet) }

// memoryNow returns the resident memory of this process in bytes.
func memoryNow() int64 { return int64(counters().workingSet) }

// counters returns zeros if Windows does not report the counters.
func counters() (c memoryCounters) {
	c.size = uint32(unsafe.Sizeof(c))
	ok, _, _ := getProcessMemoryInfo.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&c)), uintptr(c.size))
	if ok == 0 {
		return memoryCounters{}
	}
	return c
}
