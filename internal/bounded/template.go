package bounded

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"
	"text/template/parse"
)

const (
	// maxActions limits the number of {{ in a template, because the parser is recursive:
	// it calls itself for each nested block.
	maxActions = 100_000

	// nodeSteps is the cost of a node of a template.
	nodeSteps = 10

	// maxCalls limits the nesting of blocks in templates that call each other.
	maxCalls = 10_000
)

// Template is a text/template that charges a budget for its loops, for calls of its
// templates, and for the texts that its functions create. Several goroutines may execute
// it at the same time.
type Template struct {
	template  *template.Template
	functions func(*Budget) template.FuncMap
}

// ParseTemplate parses a template. functions returns the functions that the template may
// call in addition to those of text/template; they charge the budget for what they
// create. If the template names a key that a map does not have, Execute returns an error.
func ParseTemplate(text string, functions func(*Budget) template.FuncMap) (*Template, error) {
	if n := strings.Count(text, "{{"); n > maxActions {
		return nil, fmt.Errorf("the template has %d actions, want at most %d", n, maxActions)
	}
	all := functions(nil)
	parsed, err := template.New("text").Option("missingkey=error").Funcs(all).Parse(text)
	if err != nil {
		return nil, err
	}
	for _, t := range parsed.Templates() {
		if t.Tree == nil || t.Root == nil {
			continue
		}
		depth := depthOf(t.Root)
		if depth > MaxDepth {
			return nil, fmt.Errorf("the blocks of the template are nested %d deep, want at most %d", depth, MaxDepth)
		}
		list(t.Root)
		nodes := append([]parse.Node{action("%s %d %d", enterName, depth, stepsOf(t.Root))}, t.Root.Nodes...)
		t.Root.Nodes = append(nodes, action("%s %d", leaveName, depth))
	}
	return &Template{parsed, functions}, nil
}

// Execute writes the result of the template for data. If a bound is exceeded, the error
// wraps a *LimitError; if the budget's context ends, it wraps the context's error.
func (t *Template) Execute(b *Budget, w io.Writer, data any) error {
	own, err := t.template.Clone()
	if err != nil {
		return err
	}
	own.Funcs(textFunctions(b)).Funcs(t.functions(b)).Funcs(template.FuncMap{
		enterName: func(depth, steps int) (string, error) {
			if b.depth += depth; b.depth > maxCalls {
				return "", &LimitError{"its templates call each other endlessly"}
			}
			return "", b.Steps(steps)
		},
		leaveName: func(depth int) string {
			b.depth -= depth
			return ""
		},
		passName: func(steps int) (string, error) { return "", b.Steps(steps) },
		argName:  func(v any) (any, error) { return argument(b, v) },
		textName: func(v any) (any, error) { return printable(b, v) },
	})
	return own.Execute(w, data)
}

// The functions that are inserted into the tree. The text of a template cannot name them,
// because its parser does not know them.
const (
	enterName = "botworkEnter"
	leaveName = "botworkLeave"
	passName  = "botworkPass"
	argName   = "botworkArg"
	textName  = "botworkText"
)

// action returns the node of an action.
func action(format string, args ...any) parse.Node {
	known := map[string]any{enterName: true, leaveName: true, passName: true, argName: true, textName: true}
	trees, err := parse.Parse("text", "{{"+fmt.Sprintf(format, args...)+"}}", "", "", known)
	if err != nil {
		panic(err) // a bug in this package
	}
	return trees["text"].Root.Nodes[0]
}

// list rewrites the nodes of a list.
func list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			pipe(n.Pipe)
			if len(n.Pipe.Decl) == 0 { // an assignment prints nothing
				n.Pipe.Cmds = append(n.Pipe.Cmds, action(textName).(*parse.ActionNode).Pipe.Cmds[0])
			}
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			steps := nodeSteps + stepsOf(n.List)
			branch(&n.BranchNode)
			n.List.Nodes = append([]parse.Node{action("%s %d", passName, steps)}, n.List.Nodes...)
		case *parse.TemplateNode:
			pipe(n.Pipe)
		}
	}
}

func branch(n *parse.BranchNode) {
	pipe(n.Pipe)
	list(n.List)
	list(n.ElseList)
}

// pipe charges the arguments of methods, because the format of a time can be as long as
// the template makes it.
func pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	var commands []*parse.CommandNode
	for i, c := range p.Cmds {
		for _, arg := range c.Args {
			switch arg := arg.(type) {
			case *parse.PipeNode:
				pipe(arg)
			case *parse.ChainNode:
				if inner, ok := arg.Node.(*parse.PipeNode); ok {
					pipe(inner)
				}
			}
		}
		if _, isFunction := c.Args[0].(*parse.IdentifierNode); !isFunction {
			if i > 0 {
				commands = append(commands, charged(nil).Cmds[0])
			}
			for j := range c.Args[1:] {
				c.Args[j+1] = charged(c.Args[j+1])
			}
		}
		commands = append(commands, c)
	}
	p.Cmds = commands
}

// charged returns (botworkArg arg), or only botworkArg if arg is nil, for use between two
// |.
func charged(arg parse.Node) *parse.PipeNode {
	p := action("%s", argName).(*parse.ActionNode).Pipe
	if arg != nil {
		p.Cmds[0].Args = append(p.Cmds[0].Args, arg)
	}
	return p
}

// printable returns what an action prints for a value.
func printable(b *Budget, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return "<no value>", nil // as package template prints it
	case string, bool:
		return v, nil
	}
	if _, err := b.weighDeep(v); err != nil {
		return nil, err
	}
	return shown(v), nil
}

// stepsOf returns the cost of executing each node of a list and its descendants once.
func stepsOf(l *parse.ListNode) int {
	n := 0
	inLists(l, func(inner *parse.ListNode) { n += len(inner.Nodes) })
	return n * nodeSteps
}

func depthOf(l *parse.ListNode) int {
	if l == nil {
		return 0
	}
	deepest := 0
	for _, n := range l.Nodes {
		if b := branchOf(n); b != nil {
			deepest = max(deepest, depthOf(b.List), depthOf(b.ElseList))
		}
	}
	return deepest + 1
}

func inLists(l *parse.ListNode, see func(*parse.ListNode)) {
	if l == nil {
		return
	}
	see(l)
	for _, n := range l.Nodes {
		if b := branchOf(n); b != nil {
			inLists(b.List, see)
			inLists(b.ElseList, see)
		}
	}
}

func branchOf(n parse.Node) *parse.BranchNode {
	switch n := n.(type) {
	case *parse.IfNode:
		return &n.BranchNode
	case *parse.WithNode:
		return &n.BranchNode
	case *parse.RangeNode:
		return &n.BranchNode
	}
	return nil
}

// Limit returns the *LimitError that err wraps, or nil.
func Limit(err error) *LimitError {
	limit, _ := errors.AsType[*LimitError](err)
	return limit
}
