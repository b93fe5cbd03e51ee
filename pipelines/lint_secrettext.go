package pipelines

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// textHandlers are the handlers whose texts people read: in the log, in errors and on pages.
var textHandlers = []string{"Log", "Fail", "Break", "Drop", "Snooze", "Progress"}

// secretTexts warns about secrets in texts for people, where they are masked.
func (c *compilation) secretTexts(s *Step, t *template) {
	if !slices.Contains(textHandlers, s.Handler) {
		return
	}
	for _, x := range t.expressions() {
		if name := secretIn(x.tree()); name != "" {
			c.reportAt(x.position, CodeSecretInText, "the text has <secret> in place of the secret "+name,
				`remove it; write whether it is set with ${{ secrets.NAME != "" }}`)
			c.downgrade()
		}
	}
}

// secretIn returns the name of a secret that is in the result of an expression, or in a part of
// it; "" if none is. A comparison gives only true or false.
func secretIn(node ast.Node) string {
	any := func(nodes ...ast.Node) string {
		for _, n := range nodes {
			if name := secretIn(n); name != "" {
				return name
			}
		}
		return ""
	}
	switch n := node.(type) {
	case *ast.MemberNode:
		base, isName := n.Node.(*ast.IdentifierNode)
		if property, constant := n.Property.(*ast.StringNode); isName && constant && base.Value == varSecrets {
			return property.Value
		}
	case *ast.ChainNode:
		return any(n.Node)
	case *ast.ConditionalNode:
		return any(n.Exp1, n.Exp2)
	case *ast.BinaryNode:
		if n.Operator == "+" || n.Operator == "??" {
			return any(n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		if n.Name != "len" && n.Name != "type" {
			return any(n.Arguments...)
		}
	case *ast.CallNode:
		return any(n.Arguments...)
	case *ast.ArrayNode:
		return any(n.Nodes...)
	case *ast.MapNode:
		return any(n.Pairs...)
	case *ast.PairNode:
		return any(n.Value)
	}
	return ""
}
