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

// shapes are what is known before a run about the values that expressions read.
type shapes struct {
	payload handlers.Shape
	outputs map[*Step]handlers.Shape
}

// known reports whether a shape says anything.
func known(s handlers.Shape) bool { return s.Type != "" && s.Type != "any" && s.Type != "nothing" }

// value returns the shape of an expression's node and its name in messages. The shape is
// AnyShape if unknown.
func (r *references) value(node ast.Node) (shape handlers.Shape, name string) {
	switch n := node.(type) {
	case *ast.ChainNode:
		return r.value(n.Node)
	case *ast.IdentifierNode:
		switch n.Value {
		case varInput:
			return r.at.input, "the step's input"
		case varPayload:
			return r.shapes.payload, "the payload"
		}
		if shape, ok := r.at.elementShape(n.Value); ok {
			return shape, fmt.Sprintf("the element %q", n.Value)
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
			return r.shapes.outputs[step], fmt.Sprintf("the output of step %q", step.Name)
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

// stepOf returns the step that a node such as steps.load names, if it has run by then.
func (r *references) stepOf(node ast.Node) (step *Step, ok bool) {
	n, isMember := node.(*ast.MemberNode)
	if !isMember {
		return nil, false
	}
	base, isName := n.Node.(*ast.IdentifierNode)
	property, constant := n.Property.(*ast.StringNode)
	if !isName || base.Value != varSteps || !constant {
		return nil, false
	}
	step = r.names.byName[property.Value]
	return step, step != nil && r.at.sees(step)
}

// fieldOf reports a field that a value does not have. A payload may have fields that its
// schema does not list, unless the schema forbids that. There it reports only names that
// look misspelt, as warnings, because a missing field is nil and not an error.
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
			hint = "select an element by its index, from 0, or a field of each element: map(list, .field)"
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
		fmt.Sprintf("%s has no field %q in the pipeline's input schema, so the value is nil", name, property.Value), hint)
}

// inputShape returns the shape of an object that a JSON Schema describes, or AnyShape if
// the schema uses forms that are not analysed. Elem is AnyShape if the object may have more
// fields than the schema names.
func inputShape(schema any) handlers.Shape {
	s, ok := schema.(map[string]any)
	fields, isMap := s["properties"].(map[string]any)
	if !ok || !isMap {
		return handlers.AnyShape
	}
	for _, key := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "patternProperties", "dependentSchemas", "unevaluatedProperties"} {
		if _, exists := s[key]; exists {
			return handlers.AnyShape
		}
	}
	shape := handlers.ObjectShape(make(map[string]handlers.Shape, len(fields)))
	for name, field := range fields {
		shape.Fields[name] = inputShape(field)
	}
	if more, exists := s["additionalProperties"]; !exists || more != false {
		shape.Elem = &handlers.Shape{Type: "any"}
	}
	return shape
}

// typeOf converts a shape to a type of the expression compiler.
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

// mistyped reports operations of an expression, which names these steps, that the known
// shapes do not allow.
//
// The program that runs is compiled without shapes: the output of a skipped step is nil,
// whatever its shape, and typed code would fail on it.
func (c *compilation) mistyped(tree *parser.Tree, at *sight, named []string) error {
	env := c.envOf(named, at.elements())
	steps, _ := env[varSteps].(types.Map)
	for _, name := range named {
		s := c.names.byName[name]
		if s == nil || !at.sees(s) {
			continue
		}
		if shape := c.shapes.outputs[s]; known(shape) {
			fields := maps.Clone(fieldsOf(s))
			fields["output"] = typeOf(shape)
			steps[name] = fields
		}
	}
	if known(at.input) {
		env[varInput] = typeOf(at.input)
	}
	for name := range at.elements() {
		if shape, ok := at.elementShape(name); ok && known(shape) {
			env[name] = typeOf(shape)
		}
	}
	if len(c.names.values) > 0 {
		env[varValues] = valueType(c.names.values[0].Data)
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
		return nil // of one of two objects: references finds fields that no object has
	}
	return err
}
