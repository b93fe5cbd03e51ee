package pipelines

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
)

// parameters finds the step's handler and checks its parameters, as far as they are known
// before a run. It returns the shape of the step's output.
func (c *compilation) parameters(s *Step, src *source, at *sight) (out handlers.Shape) {
	n, with := src.Node, src.raw.With
	out = handlers.AnyShape
	if !with.HasValue() {
		with = &strictyaml.Node{Kind: strictyaml.Mapping, File: n.File, Line: n.Line, Column: n.Column, Path: n.Path + ".with"}
	}
	if with.Kind != strictyaml.Mapping {
		c.Report(with, "wrong-type", fmt.Sprintf("got %s, want a mapping of parameters", with.Kind), "")
		return out
	}
	before := len(c.Findings)
	t := c.template(with, "with", at)
	s.With, _ = with.Any().(map[string]any)
	c.texts(s, with)
	kind, known := c.registry.Lookup(s.Handler)
	if !known {
		if s.Handler != "" {
			c.unknownHandler(s, src.raw.Handler)
		}
		return out
	}
	s.kind = kind
	if t.dynamic() {
		c.durations(strings.TrimSuffix(with.Path, "with"), kind.Fields(), t)
		c.secretTexts(s, t)
		s.checked = checkedFields(kind.Fields(), t)
		for _, w := range checkExpressions(s.checked, t.literalText) {
			c.parameter(&w, n, with)
		}
	}
	literal := t.known().(map[string]any)
	if kind.New != nil {
		out = kind.Shape(literal)
	}
	wrong := kind.CheckLiteral(literal, t.dynamicAt)
	for i := range wrong {
		c.parameter(&wrong[i], n, with)
	}
	if kind.Lint != nil {
		suspicious := kind.Lint(s.With)
		for i := range suspicious {
			c.parameter(&suspicious[i], n, with)
		}
	}
	if len(c.Findings) > before {
		return out
	}
	if t.dynamic() {
		s.with = t
		return out
	}
	h, err := kind.Build(literal)
	if err != nil {
		c.Report(with, handlers.WrongValue, err.Error(), "")
		return out
	}
	s.handler, s.literal = h, literal
	return out
}

func (c *compilation) unknownHandler(s *Step, n *strictyaml.Node) {
	hint := strictyaml.Suggest(s.Handler, c.registry.Names())
	if hint == "" {
		hint = "`botwork handlers` lists them"
	}
	c.Report(n, CodeUnknownHandler, fmt.Sprintf("unknown handler %q", s.Handler), hint)
	c.suggestEdit(n.ReplaceWord(c.registry.Names(), false))
}

// parameter converts a handler's parameter error to a finding: an unknown parameter at its
// key, a missing one at the mapping that lacks it, any other at its value.
func (c *compilation) parameter(w *handlers.ParamError, step, with *strictyaml.Node) {
	path := with.Path
	if len(w.Path) > 0 {
		path += "." + strings.Join(w.Path, ".")
	}
	n := with.Descend(w.Path)
	at, edit := positionOf(n), (*strictyaml.Edit)(nil)
	switch {
	case w.Suggestion != "" && n.Kind == strictyaml.Scalar && n.Quoted:
		edit = n.Replace(strictyaml.Quoted(w.Suggestion), w.Certain)
	case w.Suggestion != "" && n.Kind == strictyaml.Scalar:
		edit = n.Replace(w.Suggestion, w.Certain)
	case w.Code == handlers.WrongType && w.ExpectedText:
		edit = n.Quote()
	case w.Code == handlers.WrongType:
		edit = n.Unquote()
	}
	if w.Code == handlers.MissingParameter && len(with.Entries) == 0 {
		at = positionOf(step)
	}
	if w.Code == handlers.UnknownParameter && len(w.Path) > 0 {
		last := len(w.Path) - 1
		for _, e := range with.Descend(w.Path[:last]).Entries {
			if e.Key == w.Path[last] {
				at, edit = positionOfKey(e), with.Descend(w.Path[:last]).Rename(e, w.Known)
			}
		}
	}
	c.reportAt(at, w.Code, path+": "+w.Message, w.Hint)
	c.suggestEdit(edit)
	if w.Warning {
		c.downgrade()
	}
}

// dynamicAt reports whether an expression determines the value at a path.
func (t *template) dynamicAt(path []string) bool {
	for _, key := range path {
		switch {
		case t.fields != nil:
			i := slices.IndexFunc(t.fields, func(f member) bool { return f.key == key })
			if i < 0 {
				return false
			}
			t = t.fields[i].value
		case t.items != nil:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(t.items) {
				return false
			}
			t = t.items[i]
		default:
			return false
		}
	}
	return t.value != nil || t.text != nil
}
