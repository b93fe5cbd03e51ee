// Package sketch parses YAML that can be incomplete. While a user types, a text is
// rarely valid YAML, but the editor must still know the key at the cursor. Parse never
// fails, and every word of the text is in a node. For valid YAML, the result agrees with
// that of a strict parser.
package sketch

// Kind is the kind of a node.
type Kind int

// The kinds of nodes. Empty is a missing value.
const (
	Empty Kind = iota
	Scalar
	Mapping
	Sequence
)

// Style is the style of a scalar.
type Style int

// The styles of scalars. Block is a block scalar, which begins with | or >.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Block
)

// Node is a value. All positions are offsets in bytes; To is the offset after the last
// byte.
type Node struct {
	Kind  Kind
	Style Style
	Flow  bool // a collection in brackets

	// From and To include quotes, brackets and block indicators. An Empty node is
	// at the position at which its value would begin.
	From, To int

	// Text is the approximate value of a scalar.
	Text string

	// Entries are the entries of a Mapping, Items the elements of a Sequence.
	Entries []*Entry
	Items   []*Node

	// Stray are values in a collection without a key or dash, such as a line that is
	// indented by one space too many.
	Stray []*Node

	// Parent is nil for the top. Entry is the entry of a value in a mapping, nil for
	// elements and stray values. Index is the index of an element.
	Parent *Node
	Entry  *Entry
	Index  int
}

// Entry is a key with its value. The value is never nil.
type Entry struct {
	Key      string
	From, To int // of the key, including quotes

	// Colon is the offset of the colon, -1 if there is none. In that case, Value is
	// Empty and it is not certain that the word is a key.
	Colon int

	Value   *Node
	Mapping *Node
}

// Get returns the value of a mapping's key, nil if there is none. A nil node has no
// keys.
func (n *Node) Get(key string) *Node {
	if e := n.Find(key); e != nil {
		return e.Value
	}
	return nil
}

// Find returns the entry of a mapping's key, nil if there is none.
func (n *Node) Find(key string) *Entry {
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key == key && e.Colon >= 0 {
			return e
		}
	}
	return nil
}

// Walk calls visit for n and all nodes below it, parents first.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, e := range n.Entries {
		e.Value.Walk(visit)
	}
	for _, item := range n.Items {
		item.Walk(visit)
	}
	for _, stray := range n.Stray {
		stray.Walk(visit)
	}
}

// Spot is the key or the value at an offset. At most one of its fields is set.
type Spot struct {
	Key   *Entry
	Value *Node // a Scalar or an Empty
}

// At returns the key or value at the offset; the offset after its last byte counts too.
// It returns the zero Spot for white space and comments.
func (n *Node) At(offset int) Spot {
	var found Spot
	n.Walk(func(n *Node) {
		for _, e := range n.Entries {
			if e.From <= offset && offset <= e.To {
				found = Spot{Key: e}
			}
		}
		if (n.Kind == Scalar || n.Kind == Empty) && n.From <= offset && offset <= n.To {
			if found.Key == nil || offset > found.Key.To {
				found = Spot{Value: n}
			}
		}
	})
	return found
}

// Path returns the path from the top to n: the names of keys, and "[]" for elements. A
// stray value has the path of its collection.
func (n *Node) Path() []string {
	if n == nil || n.Parent == nil {
		return nil
	}
	path := n.Parent.Path()
	switch {
	case n.Entry != nil:
		return append(path, n.Entry.Key)
	case n.Parent.Kind == Sequence && n.Index >= 0:
		return append(path, Element)
	}
	return path
}

// Element is an element of a list in a path.
const Element = "[]"
