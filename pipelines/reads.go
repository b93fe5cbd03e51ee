package pipelines

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// The fields of a step in expressions.
const (
	fieldOutput  = "output"
	fieldSkipped = "skipped"
	fieldError   = "error"
	fieldErrors  = "errors"
)

// reading is what expressions read of earlier steps.
type reading struct {
	// fields has the fields that are read, by step; "" means the step as a whole.
	fields map[string][]string

	// all reports whether steps are read as a whole, or by a computed name.
	all bool

	// input reports whether the message is read, secrets whether a secret is; names has all names.
	input, secrets bool
	names          map[string]bool

	// steps and whole are mentions of `steps`, and of one step, that are part of a longer
	// path.
	steps, whole map[ast.Node]string
}

func (r *reading) reads(step string) bool { return r.all || len(r.fields[step]) > 0 }

// read analyses trees from the parser.
func read(trees ...ast.Node) *reading {
	r := &reading{fields: map[string][]string{}, names: map[string]bool{}}
	for _, tree := range trees {
		r.add(tree)
	}
	return r
}

func (r *reading) add(tree ast.Node) {
	r.steps, r.whole = map[ast.Node]string{}, map[ast.Node]string{}
	ast.Walk(&tree, r)
	r.all = r.all || len(r.steps) > 0
	for _, step := range r.whole {
		r.fields[step] = append(r.fields[step], "")
	}
}

// Visit sees a node after its children.
func (r *reading) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		r.names[n.Value] = true
		switch n.Value {
		case varSteps, "$env":
			r.steps[n] = ""
		case varInput:
			r.input = true
		case varSecrets:
			r.secrets = true
		}
	case *ast.MemberNode:
		property, constant := n.Property.(*ast.StringNode)
		if !constant {
			return
		}
		if _, ok := r.steps[n.Node]; ok {
			delete(r.steps, n.Node)
			r.whole[n] = property.Value
		} else if step, ok := r.whole[n.Node]; ok {
			delete(r.whole, n.Node)
			r.fields[step] = append(r.fields[step], property.Value)
		}
	}
}

// tree parses the expression again, because the compiler changed the first tree and emptied
// it.
func (x *expression) tree() ast.Node {
	tree, err := parser.Parse(x.program.Source())
	if err != nil {
		return &ast.NilNode{} // impossible: it was parsed before
	}
	return tree.Node
}

// reads returns what the step's condition and parameters read.
func (s *Step) reads() *reading {
	var trees []ast.Node
	if s.condition != nil {
		trees = append(trees, s.condition.tree())
	}
	if s.with != nil {
		for _, x := range s.with.expressions() {
			trees = append(trees, x.tree())
		}
	}
	return read(trees...)
}

// expressions returns all expressions in the value.
func (t *template) expressions() []*expression {
	var list []*expression
	if t.value != nil {
		list = append(list, t.value)
	}
	for _, s := range t.text {
		if s.value != nil {
			list = append(list, s.value)
		}
	}
	for _, f := range t.fields {
		list = append(list, f.value.expressions()...)
	}
	for _, item := range t.items {
		list = append(list, item.expressions()...)
	}
	return list
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
