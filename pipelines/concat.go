package pipelines

import (
	"fmt"
	"reflect"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// maxText bounds a text that an expression puts together with +, in bytes. The
// machine's memory budget does not count these: thirty doublings in a reduce
// would take all memory, and the worker with it.
const maxText = 64 << 20

// concatName cannot be written as a function's name.
const concatName = "+"

// boundedConcat makes every + that may join texts a call that looks at the
// result's length first.
func boundedConcat() []expr.Option {
	return []expr.Option{
		expr.Function(concatName, concat, new(func(string, string) string), new(func(any, any) any)),
		expr.Patch(concatPatch{}),
	}
}

// concat adds two values as the machine does; what does not go together panics
// there, and the machine tells where.
func concat(operands ...any) (any, error) {
	a, b := operands[0], operands[1]
	if left, ok := a.(string); ok {
		if right, ok := b.(string); ok && len(left)+len(right) > maxText {
			return nil, fmt.Errorf("the text would have %d bytes, want at most %d", len(left)+len(right), maxText)
		}
	}
	return runtime.Add(a, b), nil
}

type concatPatch struct{}

// Visit sees a node behind its children, when their types are known.
func (concatPatch) Visit(node *ast.Node) {
	sum, ok := (*node).(*ast.BinaryNode)
	if !ok || sum.Operator != "+" || !mayBeText(sum.Left) || !mayBeText(sum.Right) {
		return
	}
	kind := sum.Type()
	ast.Patch(node, &ast.CallNode{
		Callee: &ast.IdentifierNode{Value: concatName}, Arguments: []ast.Node{sum.Left, sum.Right},
	})
	(*node).SetType(kind)
}

func mayBeText(n ast.Node) bool {
	t := n.Type()
	return t != nil && (t.Kind() == reflect.String || t.Kind() == reflect.Interface)
}
