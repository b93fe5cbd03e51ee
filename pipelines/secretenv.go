package pipelines

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// secretEnv are environment variables that settings read as secrets, each with the
// path of its setting. Names are in capitals where case does not count.
type secretEnv map[string]string

// setting returns the setting that reads a variable as a secret; "" if none does.
func (e secretEnv) setting(variable string) string {
	if runtime.GOOS == "windows" {
		variable = strings.ToUpper(variable)
	}
	return e[variable]
}

// refusal explains why an expression cannot read a variable.
func (e secretEnv) refusal(variable string) string {
	return fmt.Sprintf("the environment variable %q cannot be read here: the setting %s reads it as a secret", variable, e.setting(variable))
}

// hint says what to write instead.
func (e secretEnv) hint(variable string) string {
	if name, ok := strings.CutPrefix(e.setting(variable), varSecrets+"."); ok {
		if plainName.MatchString(name) {
			return "write secrets." + name
		}
		return fmt.Sprintf("write secrets[%q]", name)
	}
	return "define a secret under secrets in the settings and write secrets.NAME"
}

// options make the compiler refuse names of such variables that are only known at run time:
// env[payload.name].
func (e secretEnv) options() []expr.Option {
	if len(e) == 0 {
		return nil
	}
	return []expr.Option{expr.Function(openName, e.open), expr.Patch(openNames{})}
}

// openName is a function that no expression can call: its name contains a space.
const openName = " openEnv"

// open returns its argument unless that is the name of such a variable.
func (e secretEnv) open(args ...any) (any, error) {
	if name, ok := args[0].(string); ok && e.setting(name) != "" {
		return nil, fmt.Errorf("%s; %s", e.refusal(name), e.hint(name))
	}
	return args[0], nil
}

// openNames passes each name by which an expression reads env through openName, but
// for those that it writes out, which the checker has seen.
type openNames struct{}

// Visit implements ast.Visitor.
func (openNames) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		if _, constant := n.Property.(*ast.StringNode); !constant && isEnv(n.Node) {
			open(&n.Property)
		}
	case *ast.BuiltinNode:
		if n.Name == "get" && len(n.Arguments) == 2 && isEnv(n.Arguments[0]) {
			open(&n.Arguments[1])
		}
	}
}

func isEnv(node ast.Node) bool {
	id, ok := node.(*ast.IdentifierNode)
	return ok && id.Value == varEnv
}

// open wraps a name, once: the compiler visits a tree several times.
func open(node *ast.Node) {
	if call, ok := (*node).(*ast.CallNode); ok {
		if callee, ok := call.Callee.(*ast.IdentifierNode); ok && callee.Value == openName {
			return
		}
	}
	callee := &ast.IdentifierNode{Value: openName}
	callee.SetLocation((*node).Location())
	call := &ast.CallNode{Callee: callee, Arguments: []ast.Node{*node}}
	call.SetLocation((*node).Location())
	*node = call
}
