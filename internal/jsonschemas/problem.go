package jsonschemas

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Problem is one violation of a schema.
type Problem struct {
	// Path is the path to the invalid part: keys of objects and indexes of items,
	// from 0.
	Path []string

	// Text describes the problem, such as "got string, want number".
	Text string
}

// TextBelow returns the problem with its path after a name: "payload.lines.0: …".
func (p Problem) TextBelow(name string) string {
	return strings.Join(slices.Concat([]string{name}, p.Path), ".") + ": " + p.Text
}

func (p Problem) sortKey() string {
	return strings.Join(slices.Concat([]string{""}, p.Path), ".") + ":"
}

// Problems are all violations of a schema, each once, in the order of their paths:
// the problems in a part come before those of the part itself. Problems that are not
// empty are an error.
type Problems []Problem

func (ps Problems) Error() string { return strings.Join(ps.TextsBelow("value"), "; ") }

// TextsBelow returns each problem with its path after a name.
func (ps Problems) TextsBelow(name string) []string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.TextBelow(name)
	}
	return texts
}

// problems flattens a validation error to its leaves.
func problems(err *jsonschema.ValidationError) Problems {
	all := leaves(err)
	// The library visits the keys of an object in random order, but the rules of one
	// path always in the same order.
	slices.SortStableFunc(all, func(a, b Problem) int { return cmp.Compare(a.sortKey(), b.sortKey()) })
	return slices.CompactFunc(all, func(a, b Problem) bool { return slices.Equal(a.Path, b.Path) && a.Text == b.Text })
}

func leaves(err *jsonschema.ValidationError) Problems {
	if len(err.Causes) > 0 {
		var all Problems
		for _, cause := range err.Causes {
			all = append(all, leaves(cause)...)
		}
		return all
	}
	return Problems{{err.InstanceLocation, err.DetailedOutput().Error.String()}}
}
