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

// Severity is the severity of a finding.
type Severity string

// The severities. The zero value means Error.
const (
	Error   Severity = "error"   // the file cannot be used
	Warning Severity = "warning" // the file can be used, but a setting is suspicious
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

	// EndLine and EndColumn are behind the last character of what the finding is
	// about; 0 where only its beginning is known.
	EndLine   int `json:"endLine,omitempty"`
	EndColumn int `json:"endColumn,omitempty"`

	Severity Severity `json:"severity"`

	// Code names the kind of mistake for programs, such as "unknown-key".
	Code string `json:"code"`

	// Message says what is wrong and what was wanted, in lower case.
	Message string `json:"message"`

	// Hint suggests the fix, such as `did you mean "timeout"?`; "" if none.
	Hint string `json:"hint,omitempty"`

	// Edit is the mend as a change of the file; nil where there is none that a
	// program could make. It may hold a value of the file, which may be a
	// password: it is for who changes the file, and is never printed.
	Edit *Edit `json:"-"`
}

// Edit replaces the text from Line and Column up to EndLine and EndColumn, which
// is not replaced itself. Where both are one place, it inserts. Lines and columns
// count as in a Finding, a byte order mark not counted.
type Edit struct {
	Line, Column       int
	EndLine, EndColumn int
	Text               string

	// Safe tells that what was meant is plain, so that a program may make the
	// edit unasked. Any other is a proposal to a person.
	Safe bool
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

// Of returns the findings of a severity.
func (fs Findings) Of(severity Severity) Findings {
	var some Findings
	for _, f := range fs {
		if cmp.Or(f.Severity, Error) == severity {
			some = append(some, f)
		}
	}
	return some
}

// Sort puts the findings in the order of their files and places. Findings of
// one place keep their order.
func (fs Findings) Sort() {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
