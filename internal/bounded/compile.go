package bounded

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
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

// MaxExpression limits the length of an expression in bytes, because the parser is
// recursive: it calls itself for each parenthesis.
const MaxExpression = 10_000

// Program is a compiled expression. Several machines may run it at the same time.
type Program struct {
	program *vm.Program
	kind    reflect.Type
	charges bool // it reads the variables of the budget
	builds  bool // its result may be larger than its input
}

// Source returns the text of the expression.
func (p *Program) Source() string { return p.program.Source().String() }

// Type returns the type of the result, as far as it is known.
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
	// The program keeps the syntax tree from which it was compiled, with the types of all
	// variables, and never uses it again. The tree would need more memory than everything
	// else in a loaded pipeline.
	reflect.ValueOf(p.program.Node()).Elem().SetZero()
	return p, nil
}

// noEnvironment rejects $env, through which an expression could change its budget.
func noEnvironment(tree *parser.Tree) error {
	var err error
	walk(&tree.Node, func(node *ast.Node) {
		if id, ok := (*node).(*ast.IdentifierNode); ok && id.Value == "$env" {
			err = (&file.Error{Location: id.Location(), Message: "unknown name $env"}).Bind(tree.Source)
		}
	})
	return err
}

// boundFunctions has the bounded functions of the library by name; each is created once.
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

// Machine runs programs. It reuses only its memory between runs. A Machine is used by one
// goroutine.
type Machine struct {
	Budget

	// MaxElements replaces the constant of this name; 0 means the constant.
	MaxElements uint

	vm   vm.VM
	tick func(int) bool
}

// Run evaluates a program. It adds its own variables to the given ones. If a bound is
// exceeded, the error wraps a *LimitError; if the context ends, it wraps the context's
// error. In both cases the outer error comes from the library and has the position.
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
	if fault, ok := errors.AsType[*file.Error](err); ok {
		fault.Message = strings.ReplaceAll(fault.Message, "json.Number", "<number of more than 64 bits>")
	}
	if err != nil || !p.builds {
		return v, err
	}
	if err := m.Result(v); err != nil {
		return nil, err
	}
	return v, nil
}
