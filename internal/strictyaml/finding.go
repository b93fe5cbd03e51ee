// Package strictyaml reads YAML files the way people hope a program does: it
// finds every mistake at once, each with its place in the file, and suggests
// what was meant. It is the only importer of the YAML library.
package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity tells how bad a finding is.
type Severity string

// The severities. A finding that says nothing is a mistake.
const (
	Error   Severity = "error"   // the file cannot be used
	Warning Severity = "warning" // it can, and is probably not meant like this
)

// MarshalText writes the severity; "" is an error.
func (s Severity) MarshalText() ([]byte, error) { return []byte(cmp.Or(s, Error)), nil }

// Finding is one mistake in a file, or a warning about it. Findings are plain
// values; the JSON form is part of the command line's contract.
type Finding struct {
	File string `json:"file"`

	// Line and Column count from 1, columns in characters; 0 means that the
	// place is not known.
	Line   int `json:"line"`
	Column int `json:"column"`

	Severity Severity `json:"severity"`

	// Code names the kind of mistake for programs, such as "unknown-key".
	Code string `json:"code"`

	// Message says what is wrong and what was wanted, in lower case.
	Message string `json:"message"`

	// Hint suggests the mend, such as `did you mean "timeout"?`; "" if none.
	Hint string `json:"hint,omitempty"`
}

func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	if b.WriteString(": "); f.Severity == Warning {
		b.WriteString("warning: ")
	}
	fmt.Fprintf(&b, "%s [%s]", f.Message, f.Code)
	if f.Hint != "" {
		b.WriteString("; " + f.Hint)
	}
	return b.String()
}

// Findings are the mistakes of one or more files in the order of their places.
// A Findings that is not empty is an error; use Err to turn it into one.
type Findings []Finding

func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns nil when there are no findings, fs otherwise.
func (fs Findings) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// Sort puts the findings in the order of their files and places. Findings of
// one place keep their order.
func (fs Findings) Sort() {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
