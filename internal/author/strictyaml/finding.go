// Package strictyaml parses and decodes YAML strictly. It reports all mistakes
// at once, each with its position in the file, and suggests corrections. It is
// the only package that imports the YAML library.
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

// Finding is one mistake in a file, or a warning about it. The JSON form is part
// of the command line's contract.
type Finding struct {
	File string `json:"file"`

	// Line and Column count from 1, columns in characters; 0 means that the
	// position is unknown.
	Line   int `json:"line"`
	Column int `json:"column"`

	// EndLine and EndColumn are the position after the last character of the
	// text that the finding is about; 0 if only its beginning is known.
	EndLine   int `json:"endLine,omitempty"`
	EndColumn int `json:"endColumn,omitempty"`

	Severity Severity `json:"severity"`

	// Code identifies the kind of mistake for programs, such as "unknown-key".
	Code string `json:"code"`

	// Message describes what is wrong and what is expected. It begins in lower
	// case.
	Message string `json:"message"`

	// Hint suggests the fix, such as `did you mean "timeout"?`; "" if none.
	Hint string `json:"hint,omitempty"`

	// Edit is the fix as a change of the file; nil if a program cannot make it.
	// It may contain a value of the file, which may be a password. So it is only
	// applied to the file and never printed.
	Edit *Edit `json:"-"`
}

// Edit replaces the text from Line and Column up to, but not including, EndLine
// and EndColumn. If both positions are equal, it inserts. Lines and columns are
// counted as in a Finding; a byte order mark does not count.
type Edit struct {
	Line, Column       int
	EndLine, EndColumn int
	Text               string

	// Safe is true if there is no doubt about the intended text, so that a
	// program can make the edit without asking. Any other edit is a proposal to
	// the user.
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

// Findings are the mistakes of one or more files in the order of their
// positions. Use Err to return them as an error.
type Findings []Finding

func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns fs as an error, or nil if there are no findings.
func (fs Findings) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// WithSeverity returns the findings with the given severity.
func (fs Findings) WithSeverity(severity Severity) Findings {
	var some Findings
	for _, f := range fs {
		if cmp.Or(f.Severity, Error) == severity {
			some = append(some, f)
		}
	}
	return some
}

// Sort sorts the findings by file and position. Findings at the same position
// keep their order.
func (fs Findings) Sort() {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
