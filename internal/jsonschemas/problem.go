package jsonschemas

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Problem is one place where a value does not fit a schema.
type Problem struct {
	// Path leads to the place: keys of objects and numbers of items, from 0.
	Path []string

	// Text says what is wrong there, such as "got string, want number".
	Text string
}

// Under writes the problem with the path behind a name: "payload.lines.0: …".
func (p Problem) Under(name string) string {
	return strings.Join(slices.Concat([]string{name}, p.Path), ".") + ": " + p.Text
}

func (p Problem) place() string { return strings.Join(slices.Concat([]string{""}, p.Path), ".") + ":" }

// Problems are all places where a value does not fit, each once, in the order
// of their paths: what lies inside a place stands before the place. A Problems
// that is not empty is an error.
type Problems []Problem

func (ps Problems) Error() string { return strings.Join(ps.Under("value"), "; ") }

// Under writes each problem with its path behind a name.
func (ps Problems) Under(name string) []string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Under(name)
	}
	return texts
}

// problems flattens a validation error into its leaves.
func problems(err *jsonschema.ValidationError) Problems {
	all := leaves(err)
	// The library goes through an object's keys in any order, and through the
	// rules of one place always in the same.
	slices.SortStableFunc(all, func(a, b Problem) int { return cmp.Compare(a.place(), b.place()) })
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
