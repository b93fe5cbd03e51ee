package bounded

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// arithmetic are the operators for whole numbers whose result may need more than 64 bits. The
// library would return another number.
var arithmetic = map[string]struct {
	name string
	call function
}{
	"+": {" sum", func(args ...any) (any, error) { return sum(args[0], args[1]) }},
	"-": {" difference", func(args ...any) (any, error) { return difference(args[0], args[1]) }},
	"*": {" product", func(args ...any) (any, error) { return product(args[0], args[1]) }},
}

// exact replaces an operator by one that returns an error where whole numbers overflow.
func (g *guard) exact(node *ast.Node, n *ast.BinaryNode) {
	if !mayBeWhole(n.Left) || !mayBeWhole(n.Right) {
		return
	}
	f := arithmetic[n.Operator]
	g.config.Functions[f.name] = &builtin.Function{Name: f.name, Func: f.call}
	callee := &ast.IdentifierNode{Value: f.name}
	callee.SetLocation((*node).Location())
	replace(node, &ast.CallNode{Callee: callee, Arguments: []ast.Node{n.Left, n.Right}})
}

func mayBeWhole(node ast.Node) bool {
	kind := node.Type().Kind()
	return kind == reflect.Int || kind == reflect.Interface
}

func sum(left, right any) (any, error) {
	if a, b, ok := whole(left, right); ok {
		if c := a + b; (c > a) == (b > 0) {
			return c, nil
		}
		return nil, overflow(left, "+", right)
	}
	return runtime.Add(left, right), nil
}

func difference(left, right any) (any, error) {
	if a, b, ok := whole(left, right); ok {
		if c := a - b; (c < a) == (b > 0) {
			return c, nil
		}
		return nil, overflow(left, "-", right)
	}
	return runtime.Subtract(left, right), nil
}

func product(left, right any) (any, error) {
	if a, b, ok := whole(left, right); ok {
		high, low := bits.Mul64(absolute(a), absolute(b))
		if high == 0 && low < 1<<63 {
			return a * b, nil
		}
		return nil, overflow(left, "*", right)
	}
	return runtime.Multiply(left, right), nil
}

func whole(left, right any) (a, b int, ok bool) {
	a, isLeft := left.(int)
	b, isRight := right.(int)
	return a, b, isLeft && isRight
}

func absolute(n int) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func overflow(left any, operator string, right any) error {
	return fmt.Errorf("%v %s %v needs more than 64 bits; use float(…) if the nearest number is enough", left, operator, right)
}
