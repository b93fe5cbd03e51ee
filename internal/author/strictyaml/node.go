package strictyaml

// Kind tells what a node is.
type Kind int

// The kinds of nodes. Null is a value that is absent or says null: the key
// stands in the file, but with nothing behind it.
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

// Node is one value of a parsed file with its place. It is immutable: many
// goroutines may read it. Aliases and merge keys have been resolved; what came
// through them keeps the place where it was written.
type Node struct {
	Kind Kind

	// File is the name that Parse was given; Line and Column count from 1.
	File         string
	Line, Column int

	// EndLine and EndColumn are behind the last character of a single value as
	// it stands in the file, quotes included. They are 0 where that is not
	// known: of mappings, lists, blocks of text and plain text of several lines.
	EndLine, EndColumn int

	// Path leads from the top of the file to this node, such as
	// "steps[0].retry"; it is "" for the top itself.
	Path string

	// Entries are the keys of a Mapping in the order of the file, without
	// duplicates.
	Entries []Entry

	// Items are the elements of a Sequence.
	Items []*Node

	// Value is the value of a Scalar: string, int, float64 or bool. Dates
	// stay strings. It is nil for every other kind.
	Value any

	// Text is a scalar's text before its type was guessed: "30" for 30.
	Text string

	// Quoted tells that the scalar stood in quotes, in a block (| or >) or
	// behind !!str, and so is a string whatever it looks like.
	Quoted bool
}

// Entry is one key of a mapping with its value, which is never nil.
type Entry struct {
	Key                string
	KeyLine, KeyColumn int
	KeyEnd             int // the column behind the key, quotes included; 0: not known
	Value              *Node
}

// Get returns the value of a mapping's key, or nil when there is none or n is
// no mapping. A nil node has no keys.
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

// Any returns the plain Go value that n stands for: map[string]any, []any,
// string, int, float64, bool or nil. The caller owns the maps and slices.
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

// Finding makes a finding at the node's place.
func (n *Node) Finding(code, message, hint string) Finding {
	return Finding{File: n.File, Line: n.Line, Column: n.Column, EndLine: n.EndLine, EndColumn: n.EndColumn,
		Code: code, Message: message, Hint: hint}
}

// Finding makes a finding at the entry's key.
func (e Entry) Finding(code, message, hint string) Finding {
	f := Finding{File: e.Value.File, Line: e.KeyLine, Column: e.KeyColumn, Code: code, Message: message, Hint: hint}
	if e.KeyEnd > 0 {
		f.EndLine, f.EndColumn = e.KeyLine, e.KeyEnd
	}
	return f
}
