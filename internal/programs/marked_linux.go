package programs

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// killMarked kills all processes whose environment names one of the runs. They may have
// left the program's group.
func killMarked(programs ...*program) {
	names := map[string]bool{}
	for _, p := range programs {
		names[p.name] = true
	}
	killNamed(names)
}

// killNamed kills all processes whose environment has one of the names, and reports
// whether it found any.
func killNamed(names map[string]bool) (found bool) {
	if len(names) == 0 {
		return false
	}
	s := search{names: names, bare: map[int]string{}}
	// The kernel needs well below a millisecond to start a program, but for a slow disk.
	for range 100 {
		if s.look(); !s.starting {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return s.found
}

// search looks for the processes of runs.
type search struct {
	names map[string]bool

	// bare has the processes without an environment: where it would begin. Each
	// program that a process starts has its own, random address.
	bare map[int]string

	found    bool // a process, which was killed
	starting bool // at the last look some process was starting a program: it may be one of the run
}

// look kills what it finds.
func (s *search) look() {
	s.starting = false
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || !s.names[s.runOf(pid)] {
			continue
		}
		// From here on the process is meant, not its number. Another may have got
		// that since the look.
		process, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if s.names[s.runOf(pid)] {
			s.found = process.Kill() == nil || s.found
		}
		_ = process.Release()
	}
}

// runOf returns the run that a process belongs to by its environment, "" if none or if it
// may not be read.
func (s *search) runOf(pid int) string {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for pair := range bytes.SplitSeq(environ, []byte{0}) {
		if name, ok := bytes.CutPrefix(pair, []byte(Variable+"=")); ok {
			return string(name)
		}
	}
	s.starting = s.starting || !s.isWhole(pid, len(environ))
	return ""
}

// isWhole reports whether the bytes that were read are all of a process's environment.
// When it starts a program the kernel takes the old environment away, also in the middle
// of our read, before the new one is there.
func (s *search) isWhole(pid, read int) bool {
	fields := statOf(pid)
	if len(fields) <= statEnvEnd || fields[statMemory] == "0" {
		return true // gone, a zombie or a thread of the kernel
	}
	start, end := fields[statEnvStart], fields[statEnvEnd]
	if end == "0" {
		return false
	}
	if start == end {
		// Either it has an empty environment for good, or the kernel does not yet
		// know where the new one ends.
		seen := s.bare[pid]
		s.bare[pid] = start
		return seen == start
	}
	first, _ := strconv.ParseUint(start, 10, 64)
	last, _ := strconv.ParseUint(end, 10, 64)
	return last-first == uint64(read)
}
