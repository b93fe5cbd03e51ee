package matching

import (
	"slices"
	"strings"
)

// Operator is how a selector compares a worker's label with its value.
type Operator string

// The operators.
const (
	Equal              Operator = "equal"
	NotEqual           Operator = "notEqual"
	LessThan           Operator = "lessThan"
	LessThanOrEqual    Operator = "lessThanOrEqual"
	GreaterThan        Operator = "greaterThan"
	GreaterThanOrEqual Operator = "greaterThanOrEqual"
	In                 Operator = "in"
	Exists             Operator = "exists"
)

// operators are the written forms of each operator: its symbol in a selector's text
// first, then its other names.
var operators = []struct {
	Operator
	names []string
}{
	{Equal, []string{"=", "==", "equals"}},
	{NotEqual, []string{"!=", "<>", "notEquals"}},
	{LessThan, []string{"<"}},
	{LessThanOrEqual, []string{"<=", "lessThanEqual"}},
	{GreaterThan, []string{">"}},
	{GreaterThanOrEqual, []string{">=", "greaterThanEqual"}},
	{In, []string{"in"}},
	{Exists, []string{"exists"}},
}

// parseOperator finds an operator by any of its names.
func parseOperator(name string) (Operator, bool) {
	for _, o := range operators {
		if string(o.Operator) == name || slices.Contains(o.names, name) {
			return o.Operator, true
		}
	}
	return "", false
}

// operatorNames returns the full names and all other forms.
func operatorNames() []string {
	var names []string
	for _, o := range operators {
		names = append(append(names, string(o.Operator)), o.names...)
	}
	return names
}

// wantedOperators lists the operators for messages.
func wantedOperators() string {
	names := make([]string, len(operators))
	for i, o := range operators {
		names[i] = string(o.Operator)
		if sign := o.names[0]; sign != names[i] {
			names[i] += " (" + sign + ")"
		}
	}
	return strings.Join(names, ", ")
}

// sign returns the operator's short form.
func (o Operator) sign() string {
	for _, known := range operators {
		if known.Operator == o {
			return known.names[0]
		}
	}
	return string(o)
}

// ordered reports whether the operator compares numbers by size.
func (o Operator) ordered() bool {
	switch o {
	case LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual:
		return true
	default:
		return false
	}
}
