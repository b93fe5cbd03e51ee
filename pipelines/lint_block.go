package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"

	"github.com/expr-lang/expr/ast"
)

// mostParallel is the largest number of iterations that run at the same time.
const mostParallel = 64

// does reads what a step does: it calls a handler, runs steps or calls a pipeline.
func (c *compilation) does(s *Step, src *source, depth int) {
	raw := &src.raw
	if src.Kind == strictyaml.Mapping {
		c.oneOf(src)
	}
	if s.Uses = strings.TrimSpace(strictyaml.Value[string](&c.Reader, raw.Uses, nil)); raw.Uses.HasValue() && s.Uses == "" {
		c.Report(raw.Uses, CodeInvalidValue, "got an empty text, want the name of a pipeline", "")
	}
	if raw.Steps.HasValue() {
		s.Block = &Block{}
	}
	c.loop(s, raw) // before the steps in it, which must not name their elements like this one
	if s.Block != nil {
		c.ofBlock(s, src, depth)
	}
}

// oneOf reports a step that does nothing, or two things.
func (c *compilation) oneOf(src *source) {
	var given []string
	for _, key := range StepActions() {
		if src.Get(key) != nil {
			given = append(given, key)
		}
	}
	switch {
	case len(given) == 0:
		c.add(src.Finding("missing-key", fmt.Sprintf("key %q is missing in %s", "handler", src.Path), "a block has steps instead, and a call of another pipeline has uses"))
	case len(given) > 1:
		c.Report(src.Get(given[1]), CodeTwoKinds, fmt.Sprintf("got %s, want one of them", strings.Join(given, " and ")),
			"put them into two steps")
	}
}

// ofBlock reads the steps of a block.
func (c *compilation) ofBlock(s *Step, src *source, depth int) {
	n := src.raw.Steps
	switch {
	case n.Kind != strictyaml.Sequence:
		c.Report(n, "wrong-type", fmt.Sprintf("got %s, want a list of steps", n.Kind), "")
		return
	case len(n.Items) == 0:
		c.Report(n, CodeNoSteps, "got an empty list, want one step or more", "")
	case depth > mostNested:
		c.Report(n, CodeTooDeep, fmt.Sprintf("got more than %d blocks in one another", mostNested), "put the inner steps into a pipeline of their own, and call it with uses")
		return
	}
	if with := src.raw.With; with != nil {
		c.Report(with, CodeNoEffect, "a block has no parameters", "its steps have them")
	}
	c.block(s.Block, n.Items, s, depth+1)
}

// loop reads the keys of a loop and of a block whose steps run side by side.
func (c *compilation) loop(s *Step, raw *rawStep) {
	if !raw.Foreach.HasValue() {
		c.withoutLoop(s, raw)
		return
	}
	l := &Loop{List: raw.Foreach.Text, Parallel: 1, Collect: true}
	s.Foreach = l
	if raw.Parallel.HasValue() {
		if on, isBool := raw.Parallel.Value.(bool); isBool {
			if on {
				c.Report(raw.Parallel, CodeInvalidValue, "got true, want how many iterations run at the same time, 1 to 64",
					"to run the steps of each iteration side by side, put them into a block of their own")
			}
		} else {
			l.Parallel = strictyaml.Value(&c.Reader, raw.Parallel, func(n int) string {
				if n < 1 || n > mostParallel {
					return fmt.Sprintf("got %d, want 1 to %d iterations at the same time", n, mostParallel)
				}
				return ""
			})
		}
	}
	if raw.Collect.HasValue() {
		l.Collect = strictyaml.Value[bool](&c.Reader, raw.Collect, nil)
	}
	if raw.As.HasValue() {
		l.As = strictyaml.Value(&c.Reader, raw.As, func(name string) string { return c.wrongElement(s, name) })
	}
}

// wrongElement explains why a loop cannot give its element this name; "" if it can.
func (c *compilation) wrongElement(s *Step, name string) string {
	switch {
	case !NamesStep(name):
		return fmt.Sprintf("got %q, want letters, digits and underscores, not a digit first", name)
	case slices.Contains(variableNames, name):
		return fmt.Sprintf("got %q, which is a variable; want another name, such as line", name)
	}
	for at := s.parent; at != nil; at = at.parent {
		if at.Foreach != nil && at.Foreach.As == name {
			return fmt.Sprintf("got %q, which is the element of a loop around this one; want another name", name)
		}
	}
	return ""
}

// withoutLoop reads `parallel` of a block, and reports keys that only a loop has.
func (c *compilation) withoutLoop(s *Step, raw *rawStep) {
	for _, n := range []*strictyaml.Node{raw.As, raw.Collect} {
		if n.HasValue() {
			c.Report(n, CodeNoEffect, "it belongs to a loop, and the step has no foreach", "")
		}
	}
	if !raw.Parallel.HasValue() {
		return
	}
	on, isBool := raw.Parallel.Value.(bool)
	switch {
	case !isBool:
		c.Report(raw.Parallel, CodeInvalidValue, "got "+raw.Parallel.Text+", want true: a number is how many iterations of a foreach run at the same time",
			"write parallel: true to run the steps of the block side by side")
	case on && s.Block == nil:
		c.Report(raw.Parallel, CodeNoEffect, "it belongs to a block, and the step has no steps", "put the steps that run side by side under steps")
	case on:
		s.Block.Parallel = true
	}
}

// foreach compiles the list of a loop, and returns the shape of its elements.
func (c *compilation) foreach(s *Step, src *source, at *sight) handlers.Shape {
	n, before := src.raw.Foreach, len(c.Findings)
	t := c.template(n, "foreach", at)
	s.Foreach.list = t
	switch {
	case len(c.Findings) > before:
	case t.text != nil:
		c.Report(n, CodeNotAList, "got a text around an expression, want a list", "write the expression alone")
	case t.value != nil:
		shape := c.shapeOf(t.value, at)
		if shape.Type == "text" || shape.Type == "whole number" || shape.Type == "true or false" {
			c.reportAt(t.value.position, CodeNotAList, fmt.Sprintf("%s: the expression gives %s, want a list or a map", n.Path, article(shape.Type)), "")
		}
		if shape.Type == "list" && shape.Elem != nil {
			return *shape.Elem
		}
	case n.Kind == strictyaml.Scalar:
		hint := ""
		if text, ok := n.Value.(string); ok {
			hint = "write ${{ " + text + " }}"
		}
		c.Report(n, CodeNotAList, fmt.Sprintf("got %q, want a list", n.Text), hint)
	}
	return handlers.AnyShape
}

// shapeOf returns the shape of the value of an expression; AnyShape if it is unknown.
func (c *compilation) shapeOf(x *expression, at *sight) handlers.Shape {
	r := &references{names: c.names, shapes: c.shapes, at: at}
	shape, _ := r.value(x.tree())
	return shape
}

// payloadOf compiles the payload that a step gives to the pipeline that it calls.
func (c *compilation) payloadOf(s *Step, src *source, at *sight) {
	with := src.raw.With
	if !with.HasValue() {
		return
	}
	t := c.template(with, "with", at)
	s.With, _ = with.Any().(map[string]any)
	if with.Kind != strictyaml.Mapping && t.value == nil {
		c.Report(with, "wrong-type", fmt.Sprintf("got %s, want the payload of the pipeline: a mapping", with.Kind), "")
		return
	}
	s.with = t
}

// names reports whether an expression names the element of the innermost loop around this place.
func (v *sight) names(x *expression) bool {
	reader := elementReader{as: v.loop.As}
	tree := x.tree()
	ast.Walk(&tree, &reader)
	return reader.found
}

type elementReader struct {
	as    string
	found bool
}

// Visit implements ast.Visitor.
func (r *elementReader) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok && (id.Value == varEach || id.Value == r.as) {
		r.found = true
	}
}
