package pipelines

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
	"botwork/internal/bounded"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
)

// expression is one compiled expression of a file. Expressions with the same text share
// their program.
type expression struct {
	position
	program *bounded.Program
}

// unknownName matches the compiler's message for a name that is not a variable.
var unknownName = regexp.MustCompile(`^unknown name (\S+)$`)

// expression compiles source, which is at a position of the file and sees the steps before its
// place. It returns nil if it has reported a finding.
func (c *compilation) expression(source string, position position, at *sight) *expression {
	before := len(c.Findings)
	report := func(from, to int, code, message, hint string) {
		c.reportAt(position.part(from, to), code, message, hint)
	}
	whole := utf8.RuneCountInString(source)
	switch {
	case source == "":
		report(0, 0, CodeExpressionSyntax, "the expression is empty", "")
		return nil
	case len(source) > bounded.MaxExpression:
		report(0, whole, CodeExpressionSyntax, fmt.Sprintf("the expression has %d bytes, want at most %d", len(source), bounded.MaxExpression), "")
		return nil
	}
	tree, err := parser.Parse(source)
	if err != nil {
		from, to, message := explainCompile(err)
		report(from, to, CodeExpressionSyntax, message, "")
		return nil
	}
	warn := func(from, to int, code, message, hint string) {
		report(from, to, code, message, hint)
		c.downgrade()
	}
	suggest := func(name string, inner int) { c.suggestName(position, name, inner) }
	refs := &references{names: c.names, shapes: c.shapes, warn: warn, at: at, report: report, suggest: suggest}
	refs.check(tree.Node)
	refs.wholeStep(tree.Node, whole)
	c.readsItem, c.readsSteps, c.readsBatch = c.readsItem || refs.readsItem, c.readsSteps || refs.readsSteps, c.readsBatch || refs.readsBatch
	if len(c.Findings) > before {
		return nil
	}
	program, err := c.program(source, refs.steps, at)
	if err != nil {
		from, to, message := explainCompile(err)
		if name := unknownName.FindStringSubmatch(message); name != nil {
			report(from, from+utf8.RuneCountInString(name[1]), CodeUnknownVariable, fmt.Sprintf("unknown name %q", name[1]), c.names.hintFor(name[1]))
			c.suggestName(position, c.names.nearest(name[1]), 0)
		} else {
			report(from, to, CodeExpressionType, message, "")
		}
		return nil
	}
	if refs.shaped {
		if err := c.mistyped(tree, at, refs.steps); err != nil {
			from, to, message := explainCompile(err)
			report(from, to, CodeExpressionType, message, "")
			return nil
		}
	}
	return &expression{position, program}
}

// program compiles a source that names these steps, or returns the earlier result for the
// same source: many expressions, such as payload.id, occur often.
func (c *compilation) program(source string, steps []string, at *sight) (*bounded.Program, error) {
	elements := at.elements()
	key := strings.Join(append(fieldNames(elements), source), "\x00")
	if known := c.programs[key]; known != nil {
		return known, nil
	}
	options := append(c.names.secretEnv.options(), expr.Timezone("UTC"), expr.Patch(valuesFunction{}))
	if elements[varEach] != nil {
		options = append(options, eachIndex)
	}
	made, err := bounded.Compile(source, c.envOf(steps, elements), options...)
	if err != nil {
		return nil, err
	}
	if c.programs == nil {
		c.programs = map[string]*bounded.Program{}
	}
	c.programs[key] = made
	return made, nil
}

// envOf describes the variables to the compiler of an expression that names these steps, and is
// inside of loops with these elements. It
// visits every step it gets: if it got all steps, the time would grow with the square of
// their number.
func (c *compilation) envOf(steps []string, elements types.Map) types.Map {
	all, some := c.env[varSteps].(types.Map), types.Map{}
	for _, name := range steps {
		if t, ok := all[name]; ok {
			some[name] = t
		}
	}
	env := maps.Clone(c.env)
	maps.Copy(env, elements)
	env[varSteps] = some
	return env
}

// suggestName adds an edit to the last finding that inserts another name; it keeps inner
// characters, the quotes, at both ends.
func (c *compilation) suggestName(at position, name string, inner int) {
	f := c.Findings[len(c.Findings)-1]
	if at.exact && name != "" && f.EndLine == f.Line && f.EndColumn > f.Column {
		c.suggestEdit(&strictyaml.Edit{Line: f.Line, Column: f.Column + inner, EndLine: f.EndLine, EndColumn: f.EndColumn - inner, Text: name})
	}
}

// explainCompile returns the position in the source, in characters, at which the compiler
// stopped, and its message without the excerpt of the source.
func explainCompile(err error) (from, to int, message string) {
	if at, ok := errors.AsType[*file.Error](err); ok {
		if strings.HasPrefix(at.Message, "unexpected token EOF") {
			return at.From, at.To, "the expression is incomplete"
		}
		return at.From, at.To, at.Message
	}
	return 0, 0, err.Error()
}

// mustBeBool reports an expression that cannot be true or false. An expression of unknown
// type is checked when it runs.
func (c *compilation) mustBeBool(x *expression) {
	if kind := x.program.Type(); kind.Kind() != reflect.Bool && kind.Kind() != reflect.Interface {
		c.reportAt(x.position, CodeExpressionType, fmt.Sprintf("the condition has the type %s, want true or false", kind), "add a comparison")
	}
}

// ExpressionError is the error of an expression that could not be evaluated.
type ExpressionError struct {
	// File, Line and Column are the position of the fault.
	File         string
	Line, Column int

	// Key is where in the step the expression is, such as "with.query".
	Key string

	Message string
	Hint    string // "" if none
}

func (e *ExpressionError) Error() string {
	text := fmt.Sprintf("%s (%s:%d:%d): %s", e.Key, e.File, e.Line, e.Column, e.Message)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// eval runs the expression on a machine and charges the machine's budget. Its error is an
// *ExpressionError without a Key, or the error of the budget's context.
func (x *expression) eval(machine *bounded.Machine, vars map[string]any) (any, error) {
	result, err := machine.Run(x.program, vars)
	if err == nil {
		return result, nil
	}
	if ended := machine.Err(); ended != nil && errors.Is(err, ended) {
		return nil, ended
	}
	return nil, x.failed(err)
}

// failed creates the error of a failed evaluation.
func (x *expression) failed(err error) *ExpressionError {
	offset, _, message := explainCompile(err)
	fault := x.fail(offset, message)
	if limit := bounded.Limit(err); limit != nil {
		fault.Hint = limit.Hint()
	}
	return fault
}

// fetchFromNil matches the machine's message for a field of nil.
var fetchFromNil = regexp.MustCompile(`^cannot (?:fetch|get) (.+) from <nil>$`)

func (x *expression) fail(offset int, message string) *ExpressionError {
	hint := ""
	if field := fetchFromNil.FindStringSubmatch(message); field != nil {
		message = fmt.Sprintf("cannot read %q of nil: the value before it is nil", field[1])
		hint = "use ?. if a value may be missing, and ?? for a default value"
	} else if strings.Contains(message, "<number of more than 64 bits>") {
		hint = "expressions can compare it with == and pass it on, but not compute with it; string(…) returns its digits"
	} else if strings.Contains(message, "memory budget") {
		hint = fmt.Sprintf("an expression may build at most %d elements", bounded.MaxElements)
	}
	at := x.plus(offset)
	return &ExpressionError{File: at.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
}
