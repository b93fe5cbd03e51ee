package pipelines

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
)

// shapes are what expressions of one pipeline can know of values before a run. The
// index of a step's output is the step's.
type shapes struct {
	payload handlers.Shape
	outputs []handlers.Shape
	inputs  []handlers.Shape
}

// learn notes what a step puts out, and with that what the next one is given.
func (c *compilation) learn(s *Step, i int, with map[string]any) {
	out := handlers.AnyShape
	if s.kind.New != nil {
		out = s.kind.Shape(with)
	}
	if out.Type == handlers.InputShape.Type {
		out = c.shapes.inputs[i]
	}
	c.shapes.outputs[i] = out
	next := out
	if (s.If != "" || s.OnError == OnErrorContinue) && s.kind.Shape(with).Type != handlers.InputShape.Type {
		next = handlers.AnyShape // where it does not run, its input goes on
	}
	if i+1 < len(c.shapes.inputs) {
		c.shapes.inputs[i+1] = next
	}
}

// known tells that a shape says anything.
func known(s handlers.Shape) bool { return s.Type != "" && s.Type != "any" && s.Type != "nothing" }

// value tells what an expression's node stands for, and what a message calls it; the
// shape is AnyShape where nobody knows.
func (r *references) value(node ast.Node) (shape handlers.Shape, name string) {
	switch n := node.(type) {
	case *ast.ChainNode:
		return r.value(n.Node)
	case *ast.IdentifierNode:
		switch n.Value {
		case varInput:
			return r.shapes.inputs[r.visible], "the step's input"
		case varPayload:
			return r.shapes.payload, "the payload"
		}
	case *ast.MemberNode:
		return r.memberValue(n)
	}
	return handlers.AnyShape, ""
}

func (r *references) memberValue(n *ast.MemberNode) (shape handlers.Shape, name string) {
	property, constant := n.Property.(*ast.StringNode)
	if constant && property.Value == "output" {
		if step, ok := r.stepOf(n.Node); ok {
			return r.shapes.outputs[step], fmt.Sprintf("the output of step %q", r.names.steps[step])
		}
	}
	base, name := r.value(n.Node)
	switch {
	case constant && base.Type == "object":
		if field, ok := base.Fields[property.Value]; ok {
			return field, fmt.Sprintf("%q in %s", property.Value, name)
		}
	case !constant && base.Type == "list" && base.Elem != nil, base.Type == "map" && base.Elem != nil:
		return *base.Elem, "an element of " + name
	}
	return handlers.AnyShape, ""
}

// stepOf tells which step a node such as steps.load names, if it has run by then.
func (r *references) stepOf(node ast.Node) (step int, ok bool) {
	n, isMember := node.(*ast.MemberNode)
	if !isMember {
		return 0, false
	}
	base, isName := n.Node.(*ast.IdentifierNode)
	property, constant := n.Property.(*ast.StringNode)
	if !isName || base.Value != varSteps || !constant {
		return 0, false
	}
	step = slices.Index(r.names.steps, property.Value)
	return step, step >= 0 && step < r.visible
}

// fieldOf reports a field that a value has not. A payload may have more than its
// schema says unless that forbids it; there only what looks misspelt is told, and as
// a warning, for a missing field is nil and no error.
func (r *references) fieldOf(n *ast.MemberNode, property *ast.StringNode) {
	if _, isOutput := r.stepOf(n.Node); isOutput {
		return // a field of the step itself, such as output
	}
	base, name := r.value(n.Node)
	known := slices.Sorted(maps.Keys(base.Fields))
	if _, ok := base.Fields[property.Value]; ok || name == "" || len(known) == 0 && base.Type == "object" {
		return
	}
	switch base.Type {
	case "object":
		if strings.Contains(name, "payload") {
			r.unknownInput(property, name, known, base.Elem == nil)
			return
		}
		r.field(name, known, property)
	case "text", "whole number", "true or false", "list":
		if strings.Contains(name, "payload") {
			return
		}
		hint := ""
		if base.Type == "list" {
			hint = "name an element by its number from 0, or take a field of each: map(list, .field)"
		}
		r.name(property, CodeUnknownVariable, fmt.Sprintf("%s is %s and has no field %q", name, article(base.Type), property.Value), hint)
	}
}

func article(shape string) string {
	if shape == "list" || shape == "whole number" {
		return "a " + shape
	}
	return shape
}

func (r *references) unknownInput(property *ast.StringNode, name string, known []string, closed bool) {
	hint := strictyaml.Suggest(property.Value, known)
	if hint == "" && !closed {
		return
	}
	if hint == "" {
		hint = "it has " + strings.Join(known, ", ")
	}
	r.warn(property.Location().From, property.Location().To, CodeUnknownField,
		fmt.Sprintf("%s has no field %q by the pipeline's input, so that this is nil", name, property.Value), hint)
}

// inputShape reads what a JSON Schema says of an object's fields; AnyShape where it
// says that in a way that is not looked into. Elem is AnyShape where more fields may
// come than those that it names.
func inputShape(schema any) handlers.Shape {
	s, ok := schema.(map[string]any)
	fields, isMap := s["properties"].(map[string]any)
	if !ok || !isMap {
		return handlers.AnyShape
	}
	for _, key := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "patternProperties", "dependentSchemas", "unevaluatedProperties"} {
		if _, there := s[key]; there {
			return handlers.AnyShape
		}
	}
	shape := handlers.ObjectShape(make(map[string]handlers.Shape, len(fields)))
	for name, field := range fields {
		shape.Fields[name] = inputShape(field)
	}
	if more, there := s["additionalProperties"]; !there || more != false {
		shape.Elem = &handlers.Shape{Type: "any"}
	}
	return shape
}

// typeOf is a shape for the expression compiler.
func typeOf(s handlers.Shape) types.Type {
	switch s.Type {
	case "text":
		return types.String
	case "whole number":
		return types.Int
	case "true or false":
		return types.Bool
	case "time":
		return types.TypeOf(time.Time{})
	case "map":
		return types.TypeOf(map[string]any{})
	case "list":
		if s.Elem == nil {
			return types.TypeOf([]any{})
		}
		return types.Array(typeOf(*s.Elem))
	case "object":
		fields := make(types.Map, len(s.Fields))
		for name, field := range s.Fields {
			fields[name] = typeOf(field)
		}
		return fields
	default:
		return types.Any
	}
}

// mistyped tells what an expression, which names these steps, does that values of the
// known shapes cannot do.
// The program that runs is compiled without them: a step that was skipped puts out
// nil, whatever its shape, and code for one type would not bear that.
func (c *compilation) mistyped(tree *parser.Tree, visible int, named []string) error {
	env := c.envOf(named)
	steps, _ := env[varSteps].(types.Map)
	for _, name := range named {
		i := slices.Index(c.names.steps, name)
		if i < 0 || i >= visible {
			continue
		}
		if shape := c.shapes.outputs[i]; known(shape) {
			steps[name] = types.Map{"output": typeOf(shape), "skipped": types.Bool, "error": types.Any}
		}
	}
	if shape := c.shapes.inputs[visible]; visible > 0 && known(shape) {
		env[varInput] = typeOf(shape)
	}
	config := conf.CreateNew()
	for _, option := range []expr.Option{expr.Env(env), expr.Timezone("UTC")} {
		option(config)
	}
	config.Check()
	_, err := checker.Check(tree, config)
	if err == nil {
		return nil
	}
	if _, _, message := explainCompile(err); strings.HasPrefix(message, "unknown field") {
		return nil // of one of two objects: what has no such field for sure is found by references
	}
	return err
}
