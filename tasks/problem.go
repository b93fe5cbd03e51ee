package tasks

import (
	"fmt"
	"strings"
)

// Problem is one error in a task.
type Problem struct {
	// Field is the path of the key as a settings file writes it, such as
	// "schedule.startAt".
	Field string

	Message string // got, want
	Hint    string // "" if none
}

func (p Problem) String() string {
	text := p.Field + ": " + p.Message
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// Problems is an error with all errors in a task.
type Problems []Problem

func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "; ")
}

func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

func (ps *Problems) add(field, hint, format string, args ...any) {
	*ps = append(*ps, Problem{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}
