package bounded

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// MaxExpression bounds an expression's length in bytes; the parser calls itself
// for each parenthesis.
const MaxExpression = 10_000

// Program is a compiled expression. Several machines may run it at the same time.
type Program struct {
	program *vm.Program
	kind    reflect.Type
	charges bool // it reads the variables of the budget
	builds  bool // what it gives may be larger than what it was given
}

// Source is the text of the expression.
func (p *Program) Source() string { return p.program.Source().String() }

// Type is the type of what the program gives, as far as that is known.
func (p *Program) Type() reflect.Type { return p.kind }

// Compile compiles an expression that reads these variables.
func Compile(source string, variables types.Map, options ...expr.Option) (*Program, error) {
	if len(source) > MaxExpression {
		return nil, fmt.Errorf("the expression has %d bytes, want at most %d", len(source), MaxExpression)
	}
	config := conf.CreateNew()
	expr.Env(variables)(config)
	for _, option := range options {
		option(config)
	}
	config.Check()
	tree, err := checker.ParseCheck(source, config)
	if err != nil {
		return nil, err
	}
	if err := noEnvironment(tree); err != nil {
		return nil, err
	}
	if err := optimizer.Optimize(&tree.Node, config); err != nil {
		return nil, err
	}
	g := newGuard(config, &tree.Node)
	p := &Program{kind: tree.Node.Type()}
	p.builds = !g.plain(tree.Node)
	p.charges = g.apply(&tree.Node)
	if p.program, err = compiler.Compile(tree, config); err != nil {
		return nil, err
	}
	// The program keeps the tree from which it was compiled, with the types of all
	// variables, and never looks at it again: more memory than all else that a loaded
	// pipeline holds.
	reflect.ValueOf(p.program.Node()).Elem().SetZero()
	return p, nil
}

// noEnvironment refuses $env, through which an expression could reach its budget.
func noEnvironment(tree *parser.Tree) error {
	var err error
	walk(&tree.Node, func(node *ast.Node) {
		if id, ok := (*node).(*ast.IdentifierNode); ok && id.Value == "$env" {
			err = (&file.Error{Location: id.Location(), Message: "unknown name $env"}).Bind(tree.Source)
		}
	})
	return err
}

// boundFunctions holds the bounded functions of the library by name, each made once.
var boundFunctions = sync.OnceValue(func() map[string]function {
	all := make(map[string]function, len(builtin.Builtins))
	for _, f := range builtin.Builtins {
		if !f.Predicate {
			all[f.Name] = bound(f)
		}
	}
	return all
})

func boundOf(f *builtin.Function) function { return boundFunctions()[f.Name] }

// Machine runs programs. It keeps nothing of them but its memory. One goroutine
// owns it.
type Machine struct {
	Budget

	// MaxElements replaces the constant; 0 means the constant.
	MaxElements uint

	vm   vm.VM
	tick func(int) bool
}

// Run evaluates a program. It sets variables of its own beside those given. A
// bound that is exceeded is a *LimitError within the error of the library, which
// says where; the end of the context is the context's error within the same.
func (m *Machine) Run(p *Program, variables map[string]any) (any, error) {
	m.vm.MemoryBudget = m.MaxElements
	if m.MaxElements == 0 {
		m.vm.MemoryBudget = MaxElements
	}
	if p.charges {
		if m.tick == nil {
			m.tick = m.Budget.tick
		}
		variables[budgetName], variables[tickName] = &m.Budget, m.tick
	}
	v, err := m.vm.Run(p.program, variables)
	if err != nil || !p.builds {
		return v, err
	}
	if err := m.Result(v); err != nil {
		return nil, err
	}
	return v, nil
}
