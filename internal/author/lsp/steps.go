package lsp

import "botwork/internal/author/lsp/sketch"

// step is an entry of a pipeline's steps.
type step struct {
	node    *sketch.Node
	name    string       // what expressions call it
	given   *sketch.Node // the value of `name`, nil when the name is the handler's
	handler *sketch.Node // nil when there is none
	index   int
}

func (st step) kind() string {
	if st.handler == nil {
		return ""
	}
	return st.handler.Text
}

// stepsOf lists the steps of a pipeline with the names that they have: those
// that the file gives first, so that a default name never takes one of them.
func stepsOf(tree *sketch.Node) []step {
	nodes := tree.Get("steps")
	if nodes == nil || nodes.Kind != sketch.Sequence {
		return nil
	}
	list := make([]step, len(nodes.Items))
	taken := map[string]bool{}
	for i, n := range nodes.Items {
		st := step{node: n, index: i}
		if name := n.Get("name"); name != nil && name.Kind == sketch.Scalar && !taken[name.Text] {
			st.given, st.name = name, name.Text
			taken[name.Text] = true
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
		list[i].name = defaultName(list[i].kind(), taken)
		taken[list[i].name] = true
	}
	return list
}

// stepOf returns the number of the step in which a node stands, -1 for none.
func stepOf(n *sketch.Node) int {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		if n.Entry == nil && n.Parent.Kind == sketch.Sequence && n.Parent.Entry != nil &&
			n.Parent.Entry.Key == "steps" && n.Parent.Parent != nil && n.Parent.Parent.Parent == nil {
			return n.Index
		}
	}
	return -1
}

// inStep returns the keys that lead from a step to a node: nil when it stands in
// none.
func inStep(n *sketch.Node) []string {
	path := n.Path()
	if len(path) < 2 || path[0] != "steps" || path[1] != sketch.Element {
		return nil
	}
	return path[2:]
}

// mention is a place where an expression names something.
type mention struct {
	chain   chain
	at      int  // the link of the chain that is meant
	step    int  // in which it stands
	escaped bool // in double quotes of YAML
	node    *sketch.Node
}

// mentions finds all chains of all expressions of a pipeline.
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

// sections returns the expressions of a value: those of a step's `if` and `with`.
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

// mentionAt returns the link of a chain in which an offset stands.
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
