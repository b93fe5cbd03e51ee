package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
)

// Machine measures this machine and, on Linux, the control groups (version 2) that this process is
// in: in a container, the container's limits count, since the kernel's figures are those of the
// whole machine. One goroutine uses it.
type Machine struct{ group cgroup }

// NewMachine returns a meter.
func NewMachine() *Machine { return &Machine{group: newCgroup("/sys/fs/cgroup", "/proc/self/cgroup")} }

// CPU implements Meter: the busier of the machine and of this container's share of it.
func (m *Machine) CPU() (float64, error) {
	busy, err := cpu.Percent(0, false)
	if err != nil {
		return 0, err
	}
	if len(busy) == 0 {
		return 0, errors.New("the system gives no figures")
	}
	return max(busy[0], m.group.cpu(time.Now())), nil
}

// MemoryFree implements Meter: what is available without swapping, and within the limit of this
// container.
func (m *Machine) MemoryFree() (int64, error) {
	all, err := mem.VirtualMemory()
	if err != nil {
		return 0, err
	}
	free := int64(all.Available) //nolint:gosec // less than 8 EiB
	if left, limited := m.group.memoryFree(); limited {
		free = min(free, left)
	}
	return free, nil
}

// DiskFree implements Meter.
func (m *Machine) DiskFree(folder string) (int64, error) {
	usage, err := disk.Usage(existing(folder))
	if err != nil {
		return 0, err
	}
	return int64(usage.Free), nil //nolint:gosec // less than 8 EiB
}

// existing returns the folder, or the nearest one above it that exists.
func existing(folder string) string {
	for {
		_, err := os.Stat(folder)
		above := filepath.Dir(folder)
		if !errors.Is(err, fs.ErrNotExist) || above == folder {
			return folder
		}
		folder = above
	}
}
