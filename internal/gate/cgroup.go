package gate

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cgroup are the control groups of this process, the innermost first. Without any, as on Windows
// and with version 1, nothing is limited.
// See https://docs.kernel.org/admin-guide/cgroup-v2.html.
type cgroup struct {
	folders []string

	usage time.Duration // of all processors, when it was read last
	at    time.Time     // zero: never
}

// newCgroup reads which groups this process is in.
func newCgroup(root, self string) cgroup {
	var g cgroup
	data, err := os.ReadFile(self)
	if err != nil {
		return g
	}
	for line := range strings.Lines(string(data)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue // of version 1
		}
		for name = path.Clean("/" + name); ; name = path.Dir(name) {
			g.folders = append(g.folders, filepath.Join(root, filepath.FromSlash(name)))
			if name == "/" {
				break
			}
		}
	}
	return g
}

// cpu returns how much of the processor time that the group may use it has used since the previous
// call, in percent; 0 if it is not limited.
func (g *cgroup) cpu(now time.Time) float64 {
	for _, folder := range g.folders {
		cpus := quota(filepath.Join(folder, "cpu.max"))
		used, ok := readKey(filepath.Join(folder, "cpu.stat"), "usage_usec")
		if cpus == 0 || !ok {
			continue
		}
		usage, before, since := time.Duration(used)*time.Microsecond, g.usage, g.at
		g.usage, g.at = usage, now
		if since.IsZero() || !now.After(since) {
			return 0
		}
		return 100 * float64(usage-before) / (float64(now.Sub(since)) * cpus)
	}
	return 0
}

// quota reads how many processors a group may use, as "150000 100000" for one and a half; 0: any
// number.
func quota(file string) float64 {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) != 2 {
		return 0
	}
	most, err := strconv.ParseFloat(fields[0], 64) // "max" is not a number
	period, err2 := strconv.ParseFloat(fields[1], 64)
	if err != nil || err2 != nil || period <= 0 {
		return 0
	}
	return most / period
}

// memoryFree returns the bytes that are left in the tightest group; false if none is limited. Files
// in the cache that were not used lately can be dropped, so they count as free.
func (g *cgroup) memoryFree() (left int64, limited bool) {
	for _, folder := range g.folders {
		most, ok := readNumber(filepath.Join(folder, "memory.max"))
		used, ok2 := readNumber(filepath.Join(folder, "memory.current"))
		if !ok || !ok2 {
			continue // "max", or the root
		}
		cache, _ := readKey(filepath.Join(folder, "memory.stat"), "inactive_file")
		free := max(most-used+min(cache, used), 0)
		if !limited || free < left {
			left, limited = free, true
		}
	}
	return left, limited
}

func readNumber(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}

// readKey reads the number of a line "key number".
func readKey(file, key string) (int64, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), key+" "); ok {
			n, err := strconv.ParseInt(text, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
