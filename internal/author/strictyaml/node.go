package strictyaml

import "strconv"

// Kind is the kind of a node.
type Kind int

// The kinds of nodes. Null means that a key has no value, or the value null.
const (
	Null Kind = iota
	Scalar
	Mapping
	Sequence
)

func (k Kind) String() string {
	switch k {
	case Scalar:
		return "a single value"
	case Mapping:
		return "a mapping"
	case Sequence:
		return "a list"
	default:
		return "nothing"
	}
}

// Node is one value of a parsed file with its position. It is immutable, so
// several goroutines can read it at the same time. Aliases and merge keys are
// resolved; their values keep the position at which they were written.
type Node struct {
	Kind Kind

	// File is the name passed to Parse; Line and Column count from 1.
	File         string
	Line, Column int

	// EndLine and EndColumn are the position after the last character of a
	// single value in the file, including its quotes. They are 0 if the end is
	// unknown: for mappings, lists, block scalars and plain text on several lines.
	EndLine, EndColumn int

	// Path is the path from the top of the file to this node, such as
	// "steps[0].retry". It is "" for the top.
	Path string

	// Entries are the entries of a Mapping in the order of the file, without
	// duplicates.
	Entries []Entry

	// Items are the elements of a Sequence.
	Items []*Node

	// Value is the value of a Scalar: string, int, float64 or bool. Dates
	// stay strings. It is nil for every other kind.
	Value any

	// Text is a scalar's text before its type is resolved: "30" for 30.
	Text string

	// Quoted is true for a scalar that is always a string: in quotes, in a
	// block (| or >) or with the tag !!str.
	Quoted bool
}

// Entry is one key of a mapping with its value. The value is never nil.
type Entry struct {
	Key                string
	KeyLine, KeyColumn int
	KeyEnd             int // the column after the key and its quotes; 0 if unknown
	Value              *Node
}

// HasValue reports whether n exists and is not null.
func (n *Node) HasValue() bool { return n != nil && n.Kind != Null }

// Get returns the value of a mapping's key. It returns nil if the key does not
// exist, or if n is nil or not a mapping.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Descend follows a path of keys and indexes as far as it exists, and returns
// the last node on it.
func (n *Node) Descend(path []string) *Node {
	for _, key := range path {
		next := n.Get(key)
		if i, err := strconv.Atoi(key); err == nil && n.Kind == Sequence && i >= 0 && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// Any returns n as a plain Go value: map[string]any, []any, string, int,
// float64, bool or nil. The caller owns the maps and slices.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Mapping:
		m := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			m[e.Key] = e.Value.Any()
		}
		return m
	case Sequence:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Any()
		}
		return list
	default:
		return n.Value
	}
}

// Finding returns a finding at the node's position.
func (n *Node) Finding(code, message, hint string) Finding {
	return Finding{File: n.File, Line: n.Line, Column: n.Column, EndLine: n.EndLine, EndColumn: n.EndColumn,
		Code: code, Message: message, Hint: hint}
}

// Finding returns a finding at the position of the entry's key.
func (e Entry) Finding(code, message, hint string) Finding {
	f := Finding{File: e.Value.File, Line: e.KeyLine, Column: e.KeyColumn, Code: code, Message: message, Hint: hint}
	if e.KeyEnd > 0 {
		f.EndLine, f.EndColumn = e.KeyLine, e.KeyEnd
	}
	return f
}
