package bounded

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
)

// Names that no expression can contain: of the variables that Run sets, and of the
// functions that the guard inserts into the tree.
const (
	budgetName = " budget"
	tickName   = " tick"
	growName   = " addToAccumulator"
)

// newGuard returns a guard that has analysed the tree.
func newGuard(config *conf.Config, root *ast.Node) *guard {
	g := &guard{config: config, inLoop: map[ast.Node]bool{}, declared: map[string]bool{}, growing: map[ast.Node]bool{}}
	walk(root, g.learn)
	return g
}

// guard rewrites a syntax tree so that it charges the budget.
type guard struct {
	config *conf.Config

	inLoop   map[ast.Node]bool // the nodes in the body of a loop
	declared map[string]bool   // the names that are declared with let
	growing  map[ast.Node]bool // sums in the body of reduce that begin with #acc

	ticks, charges bool // which variables the tree needs
}

// apply rewrites the tree and reports whether it charges anything.
func (g *guard) apply(root *ast.Node) bool {
	kind := *(*root).Nature()
	walk(root, g.rewrite)
	if g.ticks {
		g.declare(root, tickName, reflect.TypeFor[func(int) bool]())
	}
	if g.charges {
		g.declare(root, budgetName, reflect.TypeFor[*Budget]())
	}
	(*root).SetNature(kind)
	return g.ticks || g.charges
}

// declare copies a variable of the environment into a variable of the virtual machine,
// which is faster to read.
func (g *guard) declare(root *ast.Node, name string, kind reflect.Type) {
	value := &ast.IdentifierNode{Value: name}
	value.SetType(kind)
	replace(root, &ast.VariableDeclaratorNode{Name: name, Value: value, Expr: *root})
}

// learn analyses a node before anything is rewritten.
func (g *guard) learn(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.VariableDeclaratorNode:
		g.declared[n.Name] = true
	case *ast.PredicateNode:
		g.markLoop(&n.Node)
	case *ast.BuiltinNode:
		if n.Map != nil {
			g.markLoop(&n.Map)
		}
		if n.Name == "reduce" {
			g.learnSums(n.Arguments[1])
		}
	}
}

func (g *guard) markLoop(body *ast.Node) {
	walk(body, func(inner *ast.Node) { g.inLoop[*inner] = true })
}

// learnSums finds #acc + a + b if it is the whole body of a reduce.
func (g *guard) learnSums(predicate ast.Node) {
	body := predicate
	if p, ok := predicate.(*ast.PredicateNode); ok {
		body = p.Node
	}
	var sums []ast.Node
	for {
		switch n := body.(type) {
		case *ast.BinaryNode:
			if n.Operator != "+" {
				return
			}
			sums = append(sums, n)
			body = n.Left
			continue
		case *ast.PointerNode:
			if n.Name == "acc" {
				for _, sum := range sums {
					g.growing[sum] = true
				}
			}
		}
		return
	}
}

// rewrite rewrites a node whose children are already rewritten.
func (g *guard) rewrite(node *ast.Node) {
	inLoop := g.inLoop[*node]
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		g.rewriteBuiltin(node, n, inLoop)
	case *ast.BinaryNode:
		g.rewriteBinary(node, n, inLoop)
	case *ast.CallNode:
		for i := range n.Arguments {
			g.wrap(&n.Arguments[i], " argument", argument)
		}
	case *ast.MemberNode:
		if !constant(n.Property) && (inLoop || !g.plain(n.Property)) {
			g.wrap(&n.Property, " read", read)
		}
	case *ast.PairNode:
		if !constant(n.Key) && (inLoop || !g.plain(n.Key)) {
			g.wrap(&n.Key, " read", read)
		}
	}
}

func (g *guard) rewriteBuiltin(node *ast.Node, n *ast.BuiltinNode, inLoop bool) {
	f := g.config.Builtins[n.Name]
	if f == nil || constantTime[n.Name] {
		return
	}
	if !f.Predicate {
		if readsOnly[n.Name] && !inLoop && g.allPlain(n.Arguments) {
			return
		}
		if n.Name == "len" && sized(n.Arguments[0]) {
			return
		}
		g.call(node, " "+n.Name, boundOf(f), n.Arguments...)
		return
	}
	if inLoop {
		if len(n.Arguments) == 1 {
			g.wrap(&n.Arguments[0], " enterAll", enterAll)
		} else {
			g.wrap(&n.Arguments[0], " enter", enter)
		}
	}
	if len(n.Arguments) < 2 {
		return
	}
	body := &n.Arguments[1]
	if p, ok := (*body).(*ast.PredicateNode); ok {
		body = &p.Node
	}
	switch n.Name {
	case "sortBy":
		g.wrap(body, " sortKey", sortKey)
	case "groupBy":
		g.wrap(body, " groupKey", groupKey)
	}
	cost := 1 + count(body)
	if n.Map != nil {
		cost += count(&n.Map)
	}
	if n.Name == "findLast" || n.Name == "findLastIndex" {
		cost += passSteps
	}
	g.tick(body, cost)
	if n.Name == "reduce" && g.sums(*body) {
		g.wrap(node, " made", made)
	}
}

// sums reports whether the body of reduce has a sum that charges only what it adds.
func (g *guard) sums(body ast.Node) bool {
	found := false
	walk(&body, func(node *ast.Node) {
		if id, ok := (*node).(*ast.IdentifierNode); ok && id.Value == growName {
			found = true
		}
	})
	return found
}

func (g *guard) rewriteBinary(node *ast.Node, n *ast.BinaryNode, inLoop bool) {
	plain := !inLoop && g.plain(n.Left) && g.plain(n.Right)
	switch n.Operator {
	case "+":
		switch {
		case !mayBeText(n.Left) || !mayBeText(n.Right):
			g.exact(node, n)
		case g.growing[n]:
			g.call(node, growName, addToAccumulator, n.Left, n.Right)
		default:
			g.call(node, " add", add, n.Left, n.Right)
		}
	case "-", "*":
		g.exact(node, n)
	case "matches":
		if pattern, ok := n.Right.(*ast.StringNode); ok {
			steps := &ast.IntegerNode{Value: matchSteps(pattern.Value)}
			steps.SetType(reflect.TypeFor[int]())
			g.call(&n.Left, " readForMatch", readForMatch, n.Left, steps)
			return
		}
		g.call(node, " matches", matches, n.Left, n.Right)
	case "in":
		if !plain && !constant(n.Right) {
			g.call(node, " in", in, n.Left, n.Right)
		}
	case "contains":
		if !plain {
			g.wrap(&n.Left, " read", read)
		}
	case "==", "!=", "<", "<=", ">", ">=", "startsWith", "endsWith":
		if !plain && !constant(n.Right) && !constant(n.Left) && !number(n.Left) && !number(n.Right) {
			g.wrap(&n.Left, " read", read)
		}
	}
}

// wrap replaces a node by a call of a function that returns the value of the node.
func (g *guard) wrap(node *ast.Node, name string, f function) { g.call(node, name, f, *node) }

// call replaces a node by a call with the budget. The call has the type of the node.
func (g *guard) call(node *ast.Node, name string, f function, args ...ast.Node) {
	g.charges = true
	g.config.Functions[name] = &builtin.Function{Name: name, Func: f}
	budget := &ast.IdentifierNode{Value: budgetName}
	budget.SetLocation((*node).Location())
	budget.SetType(reflect.TypeFor[*Budget]())
	callee := &ast.IdentifierNode{Value: name}
	callee.SetLocation((*node).Location())
	replace(node, &ast.CallNode{Callee: callee, Arguments: append([]ast.Node{budget}, args...)})
}

// tick charges the steps before the node is evaluated.
func (g *guard) tick(node *ast.Node, steps int) {
	g.ticks = true
	callee := &ast.IdentifierNode{Value: tickName}
	callee.SetType(reflect.TypeFor[func(int) bool]())
	cost := &ast.IntegerNode{Value: steps}
	cost.SetType(reflect.TypeFor[int]())
	call := &ast.CallNode{Callee: callee, Arguments: []ast.Node{cost}}
	call.SetType(reflect.TypeFor[bool]())
	for _, made := range []ast.Node{callee, cost, call} {
		made.SetLocation((*node).Location())
	}
	replace(node, &ast.SequenceNode{Nodes: []ast.Node{call, *node}})
}

// replace replaces a node and keeps its type.
func replace(node *ast.Node, by ast.Node) {
	by.SetLocation((*node).Location())
	by.SetNature(*(*node).Nature())
	*node = by
}
