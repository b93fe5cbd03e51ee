package pipelines

import (
	"errors"
	"slices"

	"botwork/internal/bounded"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// eval evaluates an expression if its values are known. Otherwise unknown are the steps on
// which its value depends, and there is no value and no error.
func (d *dryRun) eval(x *expression) (value any, unknown []string, err error) {
	tree := x.tree()
	if len(d.unknownIn(tree)) == 0 {
		value, err = x.eval(&d.machine, d.vars)
		return value, nil, err
	}
	return d.judge(x, tree)
}

// unknownIn lists the steps that the tree reads and that are unknown.
func (d *dryRun) unknownIn(tree ast.Node) []string {
	r := read(tree)
	var steps []string
	if r.input {
		steps = append(steps, d.message...)
	}
	for name, of := range d.elements {
		if r.names[name] {
			steps = append(steps, of...)
		}
	}
	for name, fields := range d.unknown {
		for _, field := range r.fields[name] {
			if len(fields) > 0 && field == "" || slices.Contains(fields, field) {
				steps = append(steps, name)
			}
		}
		if r.all && len(fields) > 0 {
			steps = append(steps, name)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// judge evaluates a tree with unknown parts in the order of the real evaluation. A known
// part may decide alone, such as a false before an `and`. The reverse does not hold: in
// `unknown and false` the first part may be an error.
func (d *dryRun) judge(x *expression, node ast.Node) (any, []string, error) {
	steps := d.unknownIn(node)
	if len(steps) == 0 {
		return d.known(x, node)
	}
	var decides func(any) (bool, ast.Node) // by the first part: that part itself, or the part to evaluate next
	var first ast.Node
	switch n := node.(type) {
	case *ast.BinaryNode:
		first = n.Left
		switch n.Operator {
		case "and", "&&":
			decides = func(v any) (bool, ast.Node) { return v == false, n.Right }
		case "or", "||":
			decides = func(v any) (bool, ast.Node) { return v == true, n.Right }
		case "??":
			decides = func(v any) (bool, ast.Node) { return v != nil, n.Right }
		}
	case *ast.ConditionalNode:
		first = n.Cond
		decides = func(v any) (bool, ast.Node) {
			if v == true {
				return false, n.Exp1
			}
			return false, n.Exp2
		}
	}
	if decides == nil {
		return nil, steps, nil
	}
	v, unknown, err := d.judge(x, first)
	if err != nil || len(unknown) > 0 {
		return nil, unknown, err
	}
	done, rest := decides(v)
	if done {
		return v, nil, nil
	}
	return d.judge(x, rest)
}

// known evaluates a part of an expression. A part that does not compile alone, which is
// unlikely since the parser wrote it, counts as unknown.
func (d *dryRun) known(x *expression, node ast.Node) (any, []string, error) {
	program, err := bounded.Compile(node.String(), d.env, expr.Timezone("UTC"), eachIndex)
	if err != nil {
		return nil, []string{"?"}, nil
	}
	v, err := (&expression{program: program}).eval(&d.machine, d.vars)
	if fault, ok := errors.AsType[*ExpressionError](err); ok {
		at := x.plus(node.Location().From) // the part's position is relative to the part
		fault.File, fault.Line, fault.Column = at.file, at.line, at.column
	}
	return v, nil, err
}
