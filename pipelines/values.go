package pipelines

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/redaction"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
)

// Values are the values of the settings in one environment: `values` in expressions.
type Values struct {
	// Environment is "" for settings without an environment. File is the name of the file that
	// can set the values, for findings.
	Environment, File string

	// Data has texts, numbers, true or false, lists and mappings. nil counts as not set.
	Data map[string]any
}

// missing says that the values have no value at a path.
func (v Values) missing(path []string) string {
	var name strings.Builder
	name.WriteString(varValues)
	for _, key := range path {
		if plainName.MatchString(key) {
			name.WriteString("." + key)
		} else {
			fmt.Fprintf(&name, "[%q]", key)
		}
	}
	where := ""
	if v.Environment != "" {
		where = " in environment " + v.Environment
	}
	return fmt.Sprintf("%s is not set%s (%s)", name.String(), where, v.File)
}

// settingValue reports a value that is not set in an environment, once for each environment: as an
// error for the one in use. If the values before it on its path are not set, they are reported
// instead.
func (r *references) settingValue(n *ast.MemberNode, property *ast.StringNode) {
	path, ok := valuePath(n)
	if !ok {
		return
	}
	r.shaped = r.shaped || len(r.names.values) > 0
	parents, key := path[:len(path)-1], path[len(path)-1]
	failed := r.names.everywhere
	for i, v := range r.names.values {
		var data any = v.Data
		for _, parent := range parents {
			fields, _ := data.(map[string]any)
			data = fields[parent]
		}
		fields, isMapping := data.(map[string]any)
		if data == nil || isMapping && fields[key] != nil {
			continue
		}
		known := slices.Sorted(maps.Keys(fields))
		message, hint := v.missing(path), strictyaml.Suggest(key, known)
		if failed = failed || i == 0; !failed {
			r.warn(property.Location().From, property.Location().To, CodeUnsetValue, message, hint)
			continue
		}
		r.name(property, CodeUnsetValue, message, hint)
		r.suggestNearest(property, known)
	}
}

// valuePath returns the names after `values` in a node such as values.ledger.url.
func valuePath(node ast.Node) ([]string, bool) {
	switch n := node.(type) {
	case *ast.ChainNode:
		return valuePath(n.Node)
	case *ast.IdentifierNode:
		return nil, n.Value == varValues
	case *ast.MemberNode:
		if property, constant := n.Property.(*ast.StringNode); constant {
			path, ok := valuePath(n.Node)
			return append(path, property.Value), ok
		}
	}
	return nil, false
}

// valueType returns the type of a value for the expression compiler.
func valueType(value any) types.Type {
	switch v := value.(type) {
	case map[string]any:
		fields := make(types.Map, len(v))
		for name, field := range v {
			fields[name] = valueType(field)
		}
		return fields
	case nil:
		return types.Any
	default:
		return types.TypeOf(v)
	}
}

// valuesFunction keeps the function values(map), which the variable would hide.
type valuesFunction struct{}

// Visit implements ast.Visitor.
func (valuesFunction) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); ok && callee.Value == varValues {
		builtin := &ast.BuiltinNode{Name: varValues, Arguments: call.Arguments}
		builtin.SetLocation(call.Location())
		*node = builtin
	}
}

// LooksSecret reports whether a text that is written in a file is a secret by the look of it: its
// key is that of a password or a token, or it is an address with a password.
func LooksSecret(key, text string) bool {
	return strings.TrimSpace(text) != "" && (redaction.SecretName(key) || passwordInURL.MatchString(text))
}
