package escalation

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"

	"botwork/internal/bounded"
	"botwork/internal/spans"
)

// Figures are what conditions read: those of a queue, or of a pipeline's items in all queues.
type Figures struct {
	Length   int           // items that wait and are due
	Oldest   time.Duration // how long the oldest of these has waited since it became due
	Assigned int           // items that are assigned and have not started
	Running  int           // items that run
}

func (f Figures) variables() map[string]any {
	return map[string]any{"length": f.Length, "oldest": f.Oldest, "assigned": f.Assigned, "running": f.Running}
}

// Condition is a compiled condition of a rule.
type Condition struct{ program *bounded.Program }

// NewCondition compiles a condition such as
//
//	length > 500
//	oldest > 30m and running == 0
//
// It is an expression over Figures that is true or false. Durations are written as everywhere:
// 90s, 1h30m, 7d.
func NewCondition(text string) (*Condition, error) {
	variables := types.Map{}
	for name, v := range (Figures{}).variables() {
		variables[name] = types.TypeOf(v)
	}
	source, err := withDurations(text)
	if err != nil {
		return nil, err
	}
	program, err := bounded.Compile(source, variables, expr.Timezone("UTC"))
	if err != nil {
		message := err.Error()
		if at, ok := errors.AsType[*file.Error](err); ok {
			message = at.Message
		}
		if strings.HasPrefix(message, "unknown name") {
			message += "; valid names: length, oldest, assigned, running"
		}
		return nil, fmt.Errorf("got %.100q: %s; want a condition such as length > 500 or oldest > 30m", text, message)
	}
	if program.Type() == nil || program.Type().Kind() != reflect.Bool {
		return nil, fmt.Errorf("got %.100q, which is not true or false; want a condition such as length > 500 or oldest > 30m", text)
	}
	return &Condition{program}, nil
}

// Holds reports whether the condition is true for the figures.
func (c *Condition) Holds(ctx context.Context, f Figures) (bool, error) {
	var machine bounded.Machine
	machine.Start(ctx)
	v, err := machine.Run(c.program, f.variables())
	if err != nil {
		return false, err
	}
	return v == true, nil
}

// withDurations replaces the durations in a condition by calls of the library's function for them.
func withDurations(text string) (string, error) {
	var b strings.Builder
	quote := rune(0)
	for rest := text; rest != ""; {
		r := rune(rest[0])
		switch {
		case quote != 0:
			if r == '\\' && len(rest) > 1 {
				b.WriteByte(rest[0])
				rest = rest[1:]
			} else if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case isWord(r):
			end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) && r != '.' })
			if end < 0 {
				end = len(rest)
			}
			word, err := durationCall(rest[:end])
			if err != nil {
				return "", err
			}
			b.WriteString(word)
			rest = rest[end:]
			continue
		}
		b.WriteByte(rest[0])
		rest = rest[1:]
	}
	return b.String(), nil
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// durationCall returns the call for a word that is a duration, and any other word as it is.
func durationCall(word string) (string, error) {
	last := rune(word[len(word)-1])
	if !unicode.IsDigit(rune(word[0])) || !unicode.IsLetter(last) {
		return word, nil
	}
	d, err := spans.Parse(word)
	if err != nil {
		if strings.HasPrefix(word, "0x") {
			return word, nil
		}
		return "", fmt.Errorf("got %.40q, want a number, or a duration such as 90s, 10m or 7d", word)
	}
	return fmt.Sprintf("duration(\"%dns\")", d.Nanoseconds()), nil
}
