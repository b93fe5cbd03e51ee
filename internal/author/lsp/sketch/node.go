// Package sketch reads YAML that need not be YAML yet. While a person types, a
// text is broken most of the time; an editor has to know all the same which key
// a cursor stands behind. A sketch has a place for every word, never fails, and
// says what strict readers say wherever those can read the text.
package sketch

// Kind tells what a node is.
type Kind int

// The kinds of nodes. Empty is a value that is not there (yet).
const (
	Empty Kind = iota
	Scalar
	Mapping
	Sequence
)

// Style tells how a scalar is written.
type Style int

// The styles of scalars. Block is a text behind | or >.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Block
)

// Node is a value. All places are offsets in bytes; To is the first byte behind.
type Node struct {
	Kind  Kind
	Style Style
	Flow  bool // a collection in brackets

	// From and To hold the quotes, brackets and block signs as well. An Empty
	// node stands where its value would.
	From, To int

	// Text is a scalar's value, as near as it can be told.
	Text string

	// Entries are the keys of a Mapping, Items the elements of a Sequence.
	Entries []*Entry
	Items   []*Node

	// Stray are values below a collection that belong to nothing, such as a
	// line that is indented by one space too many.
	Stray []*Node

	// Parent is nil for the top. Entry is the key whose value this is, nil for
	// an element, whose number from 0 is Index, and for what is stray.
	Parent *Node
	Entry  *Entry
	Index  int
}

// Entry is a key with its value, which is never nil.
type Entry struct {
	Key      string
	From, To int // of the key, quotes included

	// Colon is the offset of the colon, -1 while there is none: then Value is
	// Empty, and the key may as well be a word of another meaning.
	Colon int

	Value   *Node
	Mapping *Node
}

// Get returns the value of a mapping's key, nil when there is none. A nil node
// has no keys.
func (n *Node) Get(key string) *Node {
	if e := n.Find(key); e != nil {
		return e.Value
	}
	return nil
}

// Find returns the entry of a mapping's key, nil when there is none.
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

// Walk calls see for n and everything below it, parents first.
func (n *Node) Walk(see func(*Node)) {
	see(n)
	for _, e := range n.Entries {
		e.Value.Walk(see)
	}
	for _, item := range n.Items {
		item.Walk(see)
	}
	for _, stray := range n.Stray {
		stray.Walk(see)
	}
}

// Spot is what stands at a place. At most one of its fields is set: the key, or
// the value.
type Spot struct {
	Key   *Entry
	Value *Node // a Scalar or an Empty
}

// At returns what stands at the offset, its first byte and the place behind its
// last one included. The zero Spot is blank space and comments.
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

// Path leads from the top to n: keys by their names, elements as "[]". What is
// stray has the path of the collection that it stands in.
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

// Element stands for an element of a list in a path.
const Element = "[]"
