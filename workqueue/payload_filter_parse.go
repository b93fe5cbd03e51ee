package workqueue

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// payloadOperators are the operators that compare a path with a literal. payloadWords lists all
// that an expression may use.
var (
	payloadOperators = []string{"==", "!=", "<", "<=", ">", ">=", "contains", "startsWith"}
	payloadWords     = strings.Join(payloadOperators, ", ") + ", in, and, or, not"
)

// payloadParser turns the syntax tree of an expression into a test of payloads. It accepts only a
// part of the language of the library.
type payloadParser struct{ source file.Source }

func parsePayloadTest(text string) (payloadTest, error) {
	p := payloadParser{source: file.NewSource(text)}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, p.syntax(err)
	}
	return p.condition(tree.Node)
}

// syntax returns an error of the library as one of this package.
func (p payloadParser) syntax(err error) error {
	fault, ok := errors.AsType[*file.Error](err)
	if !ok {
		return err
	}
	if fault.Message == `unexpected token Operator("=")` {
		return p.at(fault.Location, "unknown operator =", "; did you mean ==?")
	}
	message := strings.Replace(fault.Message, "unexpected token EOF", "unexpected end", 1)
	return p.at(fault.Location, message, "")
}

// at returns an error about a location, with a hint after it.
func (p payloadParser) at(location file.Location, message, hint string) error {
	bound := (&file.Error{Location: location}).Bind(p.source)
	where := fmt.Sprintf("column %d", bound.Column+1)
	if bound.Line > 1 {
		where = fmt.Sprintf("line %d, column %d", bound.Line, bound.Column+1)
	}
	return fmt.Errorf("%s at %s%s", message, where, hint)
}

// condition reads a comparison, or a combination of conditions.
func (p payloadParser) condition(node ast.Node) (payloadTest, error) {
	switch n := node.(type) {
	case *ast.UnaryNode:
		if n.Operator != "not" && n.Operator != "!" {
			break
		}
		test, err := p.condition(n.Node)
		if err != nil {
			return nil, err
		}
		return func(payload any) bool { return !test(payload) }, nil
	case *ast.BinaryNode:
		return p.binary(n)
	}
	if err := p.refuse(node); err != nil {
		return nil, err
	}
	return nil, p.at(start(node), "got a value", `, want a comparison such as amount > 1000`)
}

func (p payloadParser) binary(n *ast.BinaryNode) (payloadTest, error) {
	switch n.Operator {
	case "and", "&&", "or", "||":
		left, err := p.condition(n.Left)
		if err != nil {
			return nil, err
		}
		right, err := p.condition(n.Right)
		if err != nil {
			return nil, err
		}
		if n.Operator == "and" || n.Operator == "&&" {
			return func(payload any) bool { return left(payload) && right(payload) }, nil
		}
		return func(payload any) bool { return left(payload) || right(payload) }, nil
	case "in":
		return p.membership(n)
	}
	if !slices.Contains(payloadOperators, n.Operator) {
		return nil, p.unknown("operator", n.Operator, n.Location())
	}
	return p.comparison(n)
}

// mirrored are the operators with the same meaning after their sides were exchanged.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// comparison reads a comparison of a path with a literal.
func (p payloadParser) comparison(n *ast.BinaryNode) (payloadTest, error) {
	if _, negated := n.Left.(*ast.UnaryNode); negated && !isLiteral(n.Left) {
		return nil, p.at(start(n.Left), "got not before a value", "; put the comparison in parentheses, as in not (amount > 1000)")
	}
	left, operator, right := n.Left, n.Operator, n.Right
	if reverse, ok := mirrored[operator]; ok && isLiteral(left) && !isLiteral(right) {
		left, operator, right = right, reverse, left
	}
	path, err := p.path(left)
	if err != nil {
		return nil, err
	}
	literal, err := p.literal(right)
	if err != nil {
		return nil, err
	}
	if err := p.comparable(operator, literal, right); err != nil {
		return nil, err
	}
	compare := payloadComparisons[operator]
	return func(payload any) bool { return compare(path.value(payload), literal) }, nil
}

// comparable refuses literals with which a comparison could never be true.
func (p payloadParser) comparable(operator string, literal any, node ast.Node) error {
	_, text := literal.(string)
	_, number := literal.(number)
	switch operator {
	case "contains", "startsWith":
		if !text {
			return p.at(start(node), operator+": want a text in quotes", "")
		}
	case "<", "<=", ">", ">=":
		if !text && !number {
			return p.at(start(node), operator+": want a number or a text in quotes", "")
		}
	}
	return nil
}

// membership reads a comparison of a path with a list of literals.
func (p payloadParser) membership(n *ast.BinaryNode) (payloadTest, error) {
	path, err := p.path(n.Left)
	if err != nil {
		return nil, err
	}
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok {
		if err := p.refuse(n.Right); err != nil {
			return nil, err
		}
		return nil, p.at(start(n.Right), "in: want a list of literals", `, such as ["Ada", "Bo"]`)
	}
	literals := make([]any, len(list.Nodes))
	for i, element := range list.Nodes {
		if literals[i], err = p.literal(element); err != nil {
			return nil, err
		}
	}
	return func(payload any) bool {
		value := path.value(payload)
		return slices.ContainsFunc(literals, func(literal any) bool { return equalValues(value, literal) })
	}, nil
}

// path reads a path such as lines[0].article.
func (p payloadParser) path(node ast.Node) (payloadPath, error) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "$":
			return payloadPath{}, nil
		case "null":
		default:
			return payloadPath{n.Value}, nil
		}
	case *ast.MemberNode:
		path, err := p.path(n.Node)
		if err != nil {
			return nil, err
		}
		switch property := n.Property.(type) {
		case *ast.StringNode:
			return append(path, property.Value), nil
		case *ast.IntegerNode:
			return append(path, property.Value), nil
		}
		return nil, p.at(start(n.Property), "unknown index", `; want a whole number from 0, as in lines[0], or a text, as in address["zip-code"]`)
	}
	if err := p.refuse(node); err != nil {
		return nil, err
	}
	if isLiteral(node) {
		return nil, p.at(start(node), "got a literal", ", want a path such as address.city on one side and a literal on the other")
	}
	return nil, p.at(start(node), "want a path such as address.city", "")
}

// literal reads a number, a text, true, false or null.
func (p payloadParser) literal(node ast.Node) (any, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.NilNode:
		return nil, nil
	case *ast.IntegerNode:
		return number{whole: int64(n.Value)}, nil
	case *ast.FloatNode:
		return floatNumber(n.Value), nil
	case *ast.IdentifierNode:
		if n.Value == "null" {
			return nil, nil
		}
	case *ast.UnaryNode:
		if isLiteral(node) {
			return p.signed(n)
		}
	}
	if err := p.refuse(node); err != nil {
		return nil, err
	}
	return nil, p.at(start(node), "want a literal", `: a number, a text in quotes, true, false or null`)
}

func (p payloadParser) signed(n *ast.UnaryNode) (any, error) {
	value, err := p.literal(n.Node)
	if v, ok := value.(number); ok && n.Operator == "-" {
		return v.negative(), err
	}
	return value, err
}

// refuse returns the error for a node that no expression may have, or nil.
func (p payloadParser) refuse(node ast.Node) error {
	switch n := node.(type) {
	case *ast.BuiltinNode:
		return p.unknown("function", n.Name, n.Location())
	case *ast.CallNode:
		return p.unknown("function", n.Callee.String(), start(n.Callee))
	case *ast.BinaryNode:
		if !slices.Contains([]string{"in", "and", "&&", "or", "||"}, n.Operator) && !slices.Contains(payloadOperators, n.Operator) {
			return p.unknown("operator", n.Operator, n.Location())
		}
	case *ast.ConditionalNode:
		return p.at(start(n.Cond), "unknown operator ?: after the condition", "; allowed are "+payloadWords)
	case *ast.ChainNode:
		return p.unknown("operator", "?.", n.Location())
	case *ast.SliceNode:
		return p.unknown("operator", "[:]", n.Location())
	case *ast.VariableDeclaratorNode:
		return p.unknown("operator", "let", n.Location())
	case *ast.SequenceNode:
		return p.unknown("operator", ";", n.Location())
	}
	return nil
}

func (p payloadParser) unknown(what, name string, location file.Location) error {
	return p.at(location, "unknown "+what+" "+name, "; allowed are "+payloadWords)
}

// isLiteral reports whether a node is a literal, with a sign or without.
func isLiteral(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.StringNode, *ast.BoolNode, *ast.NilNode, *ast.IntegerNode, *ast.FloatNode:
		return true
	case *ast.IdentifierNode:
		return n.Value == "null"
	case *ast.UnaryNode:
		switch n.Node.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
			return n.Operator == "-" || n.Operator == "+"
		}
	}
	return false
}

// start returns where the text of a node begins; the library gives the location of an operator to
// a binary node, and that of the last name to a path.
func start(node ast.Node) file.Location {
	switch n := node.(type) {
	case *ast.BinaryNode:
		return start(n.Left)
	case *ast.MemberNode:
		return start(n.Node)
	}
	return node.Location()
}
