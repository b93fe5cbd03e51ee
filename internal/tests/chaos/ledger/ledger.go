// Package ledger is a file outside the database in which runs of items record what
// they do. Many processes append to one file; the order of its lines is the order
// in which they were written, regardless of the database.
package ledger

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Kind is the kind of a line.
type Kind string

// The kinds. A run writes begin, then ticks, then one of the last three, unless
// its process dies.
const (
	Begin     Kind = "begin"
	Tick      Kind = "tick"
	End       Kind = "end"       // the work is done, but not yet recorded in the database
	Fail      Kind = "fail"      // failed by design
	Cancelled Kind = "cancelled" // the run's context ended, and the run stops immediately
)

// Last reports whether a run writes nothing after a line of this kind.
func (k Kind) Last() bool { return k == End || k == Fail || k == Cancelled }

// ProcessVariable is the environment variable with the number of a worker's process in the
// ledger, for the worker and the programs that it runs. In containers every worker is
// process 1, so the process id does not identify it.
const ProcessVariable = "CHAOS_PROCESS"

// Process returns the number of a worker's process, which is id if the variable is not set.
func Process(id int) int {
	if n, err := strconv.Atoi(os.Getenv(ProcessVariable)); err == nil {
		return n
	}
	return id
}

// Run identifies the run that writes a line.
type Run struct {
	Item    int64  `json:"item"`
	Fence   int64  `json:"fence"`
	Attempt int    `json:"attempt"`
	PID     int    `json:"pid"` // of the worker, by Process
	Worker  string `json:"worker"`

	// Step is set if each step of a run writes its own lines: begin, ticks, and one of the last three. It is
	// the step's path, with the number of the iteration.
	Step string `json:"step,omitempty"`

	// Program is the process that wrote the line, if it is not the worker's.
	Program int `json:"program,omitempty"`
}

// Line is one line of the ledger.
type Line struct {
	Run
	Kind Kind `json:"kind"`

	// At is the writer's wall clock in nanoseconds since 1970, read just before
	// the line was written. All writers share one machine, hence one clock.
	At int64 `json:"at"`
}

// Time is At as a time.
func (l Line) Time() time.Time { return time.Unix(0, l.At) }

// Book is the ledger for the lines of one run.
type Book struct {
	file *os.File
	run  Run
}

// Open opens the ledger for the lines of one run. The file must exist.
func Open(path string, run Run) (*Book, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &Book{file, run}, nil
}

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// Write appends a line with one system call, so that lines of different
// processes never mix.
func (b *Book) Write(kind Kind) error {
	text, err := json.Marshal(Line{Run: b.run, Kind: kind, At: time.Now().UnixNano()})
	if err != nil {
		return err
	}
	_, err = b.file.Write(append(text, '\n'))
	return err
}

// ReadFile returns all lines of a file, as Read does.
func ReadFile(path string) ([]Line, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file)
}

// Read returns all lines in the order in which they were written. An incomplete
// line is an error.
func Read(r io.Reader) ([]Line, error) {
	var lines []Line
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		var l Line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d of the ledger, %.200q: %w", len(lines)+1, scanner.Bytes(), err)
		}
		lines = append(lines, l)
	}
	return lines, scanner.Err()
}
