package lsp

import (
	"slices"
	"strings"

	"botwork/internal/author/lsp/sketch"
)

// step is an entry of a pipeline's steps, or of those of a block.
type step struct {
	node     *sketch.Node
	name     string       // the name in expressions
	nameNode *sketch.Node // the value of `name`, nil if the default name is used
	handler  *sketch.Node // nil if there is none
	uses     *sketch.Node // nil if it calls no pipeline
	block    *sketch.Node // the list of its steps, nil if it has none
	foreach  *sketch.Node // nil if it is not a loop
	index    int          // in the file
	parent   int          // the index of the step whose block it is in, or topList of the list at the top of the file
}

// lists are the keys of the lists of steps at the top of a file.
var lists = []string{"steps", "onSuccess", "onFailure", "finally"}

// topList returns what step.parent is for the steps of a list at the top of the file: -1 for `steps`, less
// for those that run afterwards; 0 for another key.
func topList(key string) int { return -1 - slices.Index(lists, key) }

// kind is the name of the handler.
func (st step) kind() string {
	if st.handler == nil {
		return ""
	}
	return st.handler.Text
}

// runs describes in one word what the step runs: a handler's name, or what it is otherwise.
func (st step) runs() string {
	switch {
	case st.uses != nil:
		return "uses " + st.uses.Text
	case st.block != nil && besides(st.block):
		return "parallel"
	case st.block != nil:
		return "block"
	}
	return st.kind()
}

// usualName is the name of a step without `name`, before a number is added; "" if it has none.
func (st step) usualName() string {
	switch {
	case st.uses != nil:
		return st.uses.Text[strings.LastIndexByte(st.uses.Text, '/')+1:]
	case st.block != nil:
		return "block"
	}
	return st.kind()
}

// stepsOf returns the steps of a pipeline with their names, in the order of the file: a block
// is before its steps. Names in the file have precedence, so a default name never conflicts with
// one of them.
func stepsOf(tree *sketch.Node) []step {
	var list []step
	used := map[string]bool{}
	var add func(nodes *sketch.Node, parent int)
	add = func(nodes *sketch.Node, parent int) {
		if nodes == nil || nodes.Kind != sketch.Sequence {
			return
		}
		for _, n := range nodes.Items {
			st := step{node: n, index: len(list), parent: parent, foreach: n.Get("foreach")}
			if name := scalar(n, "name"); name != nil && !used[name.Text] {
				st.nameNode, st.name = name, name.Text
				used[name.Text] = true
			}
			st.handler, st.uses = scalar(n, "handler"), scalar(n, "uses")
			if block := n.Get("steps"); block != nil && block.Kind == sketch.Sequence {
				st.block = block
			}
			list = append(list, st)
			add(st.block, st.index)
		}
	}
	for _, key := range lists {
		add(tree.Get(key), topList(key))
	}
	for i := range list {
		if usual := list[i].usualName(); list[i].name == "" && usual != "" {
			list[i].name = defaultName(usual, used)
			used[list[i].name] = true
		}
	}
	return list
}

// scalar returns the value of a key if it is a scalar.
func scalar(n *sketch.Node, key string) *sketch.Node {
	if value := n.Get(key); value != nil && value.Kind == sketch.Scalar {
		return value
	}
	return nil
}

// besides reports whether the steps of a list run side by side.
func besides(list *sketch.Node) bool {
	parallel := scalar(list.Parent, "parallel")
	return parallel != nil && parallel.Text == "true" && list.Parent.Get("foreach") == nil
}

// stepOf returns the step that contains a node, nil if there is none: the innermost one.
func stepOf(n *sketch.Node) *sketch.Node {
	for ; n != nil; n = n.Parent {
		if n.Entry == nil && n.Parent != nil && n.Parent.Kind == sketch.Sequence && len(inStep(n)) == 0 && inStep(n) != nil {
			return n
		}
	}
	return nil
}

// inStep returns the path to a node from the innermost step that contains it, or nil if the node
// is not in a step.
func inStep(n *sketch.Node) []string {
	path, found := n.Path(), false
	for len(path) >= 2 && (path[0] == "steps" || !found && topList(path[0]) < 0) && path[1] == sketch.Element {
		path, found = path[2:], true
	}
	if !found {
		return nil
	}
	return path
}

// mention is a name in an expression.
type mention struct {
	chain   chain
	at      int  // the index of the link with the name
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
				found = append(found, mention{chain: c, escaped: escaped, node: n})
			}
		}
	})
	return found
}

// sections returns the expressions of a value in a step's `if`, `foreach` or `with`.
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
	case path[0] == "with", path[0] == "foreach":
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
					best, found = mention{chain: c, at: i, escaped: escaped, node: spot.Value}, true
				}
			}
		}
		return best, found
	}
	return mention{}, false
}
