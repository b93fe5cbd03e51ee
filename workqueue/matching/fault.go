package matching

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one fault in a label, a selector or a distribution.
type Fault struct {
	// Path leads to the fault: keys, and indices of lists as decimal numbers from 0
	// on. It is empty for the whole value.
	Path []string

	// Message describes the fault and what was expected, in lower case.
	Message string

	// Got is a word that is not in Known, for a suggestion. UnknownKey is set if it
	// is a key.
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

// WithPathPrefix returns the fault with its path below the given keys.
func (f Fault) WithPathPrefix(path ...string) Fault {
	f.Path = slices.Concat(path, f.Path)
	return f
}

// pathText returns a path as "[1].operator" or "scoring.http.url".
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

// Faults are all the faults of one text. If there are any, they are an error.
type Faults []Fault

func (fs Faults) Error() string {
	texts := make([]string, len(fs))
	for i, f := range fs {
		texts[i] = f.String()
	}
	return strings.Join(texts, "; ")
}

// collector collects faults with their paths.
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

// under returns the path of a key or an index below path.
func under(path []string, key string) []string { return append(slices.Clip(path), key) }

// at returns the path of a list's element.
func at(path []string, index int) []string { return under(path, strconv.Itoa(index)) }
