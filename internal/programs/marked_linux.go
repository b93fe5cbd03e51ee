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
	// The kernel needs much less than a millisecond to start a program, except on a slow disk.
	for range 100 {
		if s.killAll(); !s.starting {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return s.found
}

// search looks for the processes of runs.
type search struct {
	names map[string]bool

	// bare has the processes without an environment, with the address at which it would
	// start. Each program that a process starts has a new random address.
	bare map[int]string

	found    bool // a process, which was killed
	starting bool // during the last search a process was starting a program: it may belong to the run
}

// killAll searches once, and kills the processes that it finds.
func (s *search) killAll() {
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
		// From here on the handle identifies the process. Its number may be reused.
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
// When a process starts a program, the kernel removes the old environment before it sets the
// new one. That can happen during the read.
func (s *search) isWhole(pid, read int) bool {
	fields := statOf(pid)
	if len(fields) <= statEnvEnd || fields[statMemory] == "0" {
		return true // ended, a zombie or a kernel thread
	}
	start, end := fields[statEnvStart], fields[statEnvEnd]
	if end == "0" {
		return false
	}
	if start == end {
		// Either its environment is empty, or the kernel has not yet set the end of the new
		// one.
		seen := s.bare[pid]
		s.bare[pid] = start
		return seen == start
	}
	first, _ := strconv.ParseUint(start, 10, 64)
	last, _ := strconv.ParseUint(end, 10, 64)
	return last-first == uint64(read)
}
