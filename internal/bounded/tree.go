package bounded

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
)

// visitor is called for each node.
type visitor func(*ast.Node)

// Visit implements ast.Visitor. The optimizer moves the body of some maps into the
// preceding filter, where ast.Walk does not find it.
func (v visitor) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.BuiltinNode); ok && n.Map != nil {
		ast.Walk(&n.Map, v)
	}
	v(node)
}

// walk calls a visitor for all nodes, each after its children.
func walk(node *ast.Node, v visitor) { ast.Walk(node, v) }

func count(node *ast.Node) int {
	n := 0
	walk(node, func(*ast.Node) { n++ })
	return n
}

// plain reports whether a value is part of a variable, so that its size is limited by the
// variable.
func (g *guard) plain(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return !g.declared[n.Value]
	case *ast.ChainNode:
		return g.plain(n.Node)
	case *ast.MemberNode:
		return constant(n.Property) && g.plain(n.Node)
	case *ast.BinaryNode:
		return n.Operator == "??" && g.plain(n.Left) && g.plain(n.Right)
	case *ast.ArrayNode:
		return len(n.Nodes) == 0
	}
	return constant(node)
}

func (g *guard) allPlain(nodes []ast.Node) bool {
	for _, n := range nodes {
		if !g.plain(n) {
			return false
		}
	}
	return true
}

// constant reports whether a value is a literal in the expression.
func constant(node ast.Node) bool {
	switch node.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.ConstantNode:
		return true
	}
	return false
}

func number(node ast.Node) bool {
	switch node.Type().Kind() {
	case reflect.Int, reflect.Float64, reflect.Bool:
		return true
	}
	return false
}

// sized reports whether the length of a value is stored with the value.
func sized(node ast.Node) bool {
	switch node.Type().Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

func mayBeText(node ast.Node) bool {
	kind := node.Type().Kind()
	return kind == reflect.String || kind == reflect.Interface
}
