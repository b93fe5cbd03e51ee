package pipelines

import (
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// eachIndex makes each.index the number of the iteration, whatever the element is.
var eachIndex = expr.Patch(indexReader{})

type indexReader struct{}

// Visit implements ast.Visitor.
func (indexReader) Visit(node *ast.Node) {
	member, ok := (*node).(*ast.MemberNode)
	if !ok {
		return
	}
	base, isName := member.Node.(*ast.IdentifierNode)
	property, constant := member.Property.(*ast.StringNode)
	if isName && constant && base.Value == varEach && property.Value == "index" {
		ast.Patch(node, &ast.IdentifierNode{Value: varEachIndex})
	}
}
