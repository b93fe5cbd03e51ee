package lsp

import "botwork/internal/author/lsp/sketch"

// step is an entry of a pipeline's steps.
type step struct {
	node     *sketch.Node
	name     string       // the name in expressions
	nameNode *sketch.Node // the value of `name`, nil if the default name is used
	handler  *sketch.Node // nil if there is none
	index    int
}

func (st step) kind() string {
	if st.handler == nil {
		return ""
	}
	return st.handler.Text
}

// stepsOf returns the steps of a pipeline with their names. Names in the file have
// precedence, so a default name never conflicts with one of them.
func stepsOf(tree *sketch.Node) []step {
	nodes := tree.Get("steps")
	if nodes == nil || nodes.Kind != sketch.Sequence {
		return nil
	}
	list := make([]step, len(nodes.Items))
	used := map[string]bool{}
	for i, n := range nodes.Items {
		st := step{node: n, index: i}
		if name := n.Get("name"); name != nil && name.Kind == sketch.Scalar && !used[name.Text] {
			st.nameNode, st.name = name, name.Text
			used[name.Text] = true
		}
		if handler := n.Get("handler"); handler != nil && handler.Kind == sketch.Scalar {
			st.handler = handler
		}
		list[i] = st
	}
	for i := range list {
		if list[i].name != "" || list[i].handler == nil {
			continue
		}
		list[i].name = defaultName(list[i].kind(), used)
		used[list[i].name] = true
	}
	return list
}

// stepOf returns the index of the step that contains a node, or -1.
func stepOf(n *sketch.Node) int {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		if n.Entry == nil && n.Parent.Kind == sketch.Sequence && n.Parent.Entry != nil &&
			n.Parent.Entry.Key == "steps" && n.Parent.Parent != nil && n.Parent.Parent.Parent == nil {
			return n.Index
		}
	}
	return -1
}

// inStep returns the path from a step to a node in it, or nil if the node is not in a
// step.
func inStep(n *sketch.Node) []string {
	path := n.Path()
	if len(path) < 2 || path[0] != "steps" || path[1] != sketch.Element {
		return nil
	}
	return path[2:]
}

// mention is a name in an expression.
type mention struct {
	chain   chain
	at      int  // the index of the link with the name
	step    int  // the index of the step that contains it
	escaped bool // in a double-quoted scalar
	node    *sketch.Node
}

// mentions returns all chains of all expressions of a pipeline.
func mentions(text string, tree *sketch.Node) []mention {
	var found []mention
	tree.Walk(func(n *sketch.Node) {
		for _, s := range sections(text, n) {
			escaped := n.Style == sketch.DoubleQuoted
			for _, c := range chains(text, s, escaped) {
				found = append(found, mention{chain: c, step: stepOf(n), escaped: escaped, node: n})
			}
		}
	})
	return found
}

// sections returns the expressions of a value in a step's `if` or `with`.
func sections(text string, n *sketch.Node) []section {
	if n.Kind != sketch.Scalar && n.Kind != sketch.Empty {
		return nil
	}
	path := inStep(n)
	switch {
	case len(path) == 0:
		return nil
	case path[0] == "if" && len(path) == 1:
		return expressions(text, n, true)
	case path[0] == "with":
		return expressions(text, n, false)
	}
	return nil
}

// mentionAt returns the link of a chain at an offset.
func mentionAt(text string, tree *sketch.Node, offset int) (mention, bool) {
	spot := tree.At(offset)
	if spot.Value == nil {
		return mention{}, false
	}
	escaped := spot.Value.Style == sketch.DoubleQuoted
	for _, s := range sections(text, spot.Value) {
		if offset < s.from || offset > s.to {
			continue
		}
		best, found := mention{}, false
		for _, c := range chains(text, s, escaped) {
			for i, l := range c {
				if !l.element && l.to > l.from && l.from <= offset && offset <= l.to {
					best, found = mention{chain: c, at: i, step: stepOf(spot.Value), escaped: escaped, node: spot.Value}, true
				}
			}
		}
		return best, found
	}
	return mention{}, false
}
