package lsp

import (
	"botwork/internal/author/lsp/sketch"
)

// stepAt returns the step whose name is at an offset, and the range of that name: the
// value of `name`, the handler of a step without a name, or a name in an expression.
func (v *view) stepAt(offset int) (st step, from, to int, ok bool) {
	if !v.isPipeline() {
		return step{}, 0, 0, false
	}
	tree := v.doc.tree()
	steps := stepsOf(tree)
	if m, found := mentionAt(v.doc.text, tree, offset); found {
		if !namesStep(m.chain) || m.at != 1 {
			return step{}, 0, 0, false
		}
		st, ok = findStep(steps, m.chain[1].text)
		return st, m.chain[1].from, m.chain[1].to, ok
	}
	spot := tree.At(offset)
	for _, st := range steps {
		if n := st.declaration(); n != nil && n == spot.Value {
			return st, n.From, n.To, true
		}
	}
	return step{}, 0, 0, false
}

// declaration returns the value that determines the step's name: the value of `name` or,
// if there is none, of `uses` or `handler`, or the key `steps`. It returns nil for a step without them.
func (st step) declaration() *sketch.Node {
	switch {
	case st.nameNode != nil:
		return st.nameNode
	case st.uses != nil:
		return st.uses
	case st.block != nil:
		return &sketch.Node{From: st.block.Entry.From, To: st.block.Entry.To}
	}
	return st.handler
}

// namesStep reports whether a chain begins with steps.NAME.
func namesStep(c chain) bool {
	return len(c) > 1 && c[0].text == "steps" && !c[1].element && c[1].text != ""
}

func findStep(steps []step, name string) (step, bool) {
	for _, st := range steps {
		if st.name == name {
			return st, true
		}
	}
	return step{}, false
}

// stepMentions returns the references to steps in expressions.
func (v *view) stepMentions() []mention {
	var found []mention
	for _, m := range mentions(v.doc.text, v.doc.tree()) {
		if namesStep(m.chain) {
			m.at = 1
			found = append(found, m)
		}
	}
	return found
}
