package matching

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one mistake in what somebody wrote.
type Fault struct {
	// Path leads to the mistake: keys, and indices of lists as decimal
	// numbers from 0 on. It is empty for the whole.
	Path []string

	// Message says what is wrong and what was wanted, in lower case.
	Message string

	// Got is a word that is not among the Known ones, for a suggestion.
	// UnknownKey tells that it is a key.
	Got        string
	Known      []string
	UnknownKey bool
}

func (f Fault) String() string {
	if len(f.Path) == 0 {
		return f.Message
	}
	return pathText(f.Path) + ": " + f.Message
}

// Under is the fault as seen from above: behind the given keys.
func (f Fault) Under(path ...string) Fault {
	f.Path = slices.Concat(path, f.Path)
	return f
}

// pathText writes a path as "[1].operator" or "scoring.http.url".
func pathText(path []string) string {
	var b strings.Builder
	for _, key := range path {
		if _, err := strconv.Atoi(key); err == nil {
			b.WriteString("[" + key + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}

// Faults are all the mistakes of one text. Faults that are not empty are an
// error.
type Faults []Fault

func (fs Faults) Error() string {
	texts := make([]string, len(fs))
	for i, f := range fs {
		texts[i] = f.String()
	}
	return strings.Join(texts, "; ")
}

// collector gathers faults at their paths.
type collector struct{ faults Faults }

func (c *collector) add(path []string, format string, args ...any) {
	c.faults = append(c.faults, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *collector) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

// under is the path of a key or an index below path.
func under(path []string, key string) []string { return append(slices.Clip(path), key) }

// at is the path of a list's element.
func at(path []string, index int) []string { return under(path, strconv.Itoa(index)) }
