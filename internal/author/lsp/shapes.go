package lsp

import (
	"maps"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// output returns the symbol of a step's output, as its handler describes it for the
// step's parameters or for any parameters.
func (sc *scope) output(i int) symbol {
	st := sc.steps[i]
	kind, ok := sc.v.project.Registry.Lookup(st.kind())
	if !ok {
		return symbol{}
	}
	with, _ := literal(st.node.Get("with")).(map[string]any)
	shape := kind.Shape(with)
	if shape.Type == handlers.InputShape.Type {
		return sc.inputOf(i)
	}
	s := shapeSymbol("", shape)
	documented := outputFields(kind.Output)
	switch {
	case s.members != nil:
		list := s.members()
		for i := range list {
			if about, ok := named(documented, list[i].name); ok {
				list[i].doc = about.doc
			}
		}
		s.members = func() []symbol { return list }
	case kind.OutputShape == nil && len(documented) > 0:
		s.members = func() []symbol { return documented }
	}
	return s
}

// inputOf returns the symbol of a step's input: the payload, or the output of the
// previous step. It ignores that the previous step can be skipped.
func (sc *scope) inputOf(i int) symbol {
	if i <= 0 || i > len(sc.steps) {
		return sc.payload(symbol{})
	}
	return sc.output(i - 1)
}

// shapeSymbol returns the symbol of a value with a shape.
func shapeSymbol(name string, shape handlers.Shape) symbol {
	s := symbol{name: name, kind: kindField, typ: shape.Type}
	switch shape.Type {
	case "object":
		s.typ = "map"
		s.members = func() []symbol {
			var list []symbol
			for _, field := range slices.Sorted(maps.Keys(shape.Fields)) {
				list = append(list, shapeSymbol(field, shape.Fields[field]))
			}
			return list
		}
	case "list":
		if shape.Elem != nil {
			s.element = func() symbol { return shapeSymbol("", *shape.Elem) }
		}
	}
	return s
}

// literal returns a value as far as it is known before a run. The value of an expression
// is nil.
func literal(n *sketch.Node) any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case sketch.Mapping:
		m := map[string]any{}
		for _, e := range n.Entries {
			if e.Colon >= 0 {
				m[e.Key] = literal(e.Value)
			}
		}
		return m
	case sketch.Sequence:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = literal(item)
		}
		return list
	case sketch.Scalar:
		if !strings.Contains(n.Text, "${{") {
			return n.Text
		}
	}
	return nil
}

// outputFields extracts the names of fields from a handler's description of its output,
// such as "for parse: {rows: list of maps, count}; for format: the text".
func outputFields(text string) []symbol {
	var list []symbol
	depth, start := 0, -1
	add := func(part string) {
		name, doc, _ := strings.Cut(strings.TrimSpace(part), ":")
		if _, exists := named(list, name); pipelines.NamesStep(name) && !exists {
			list = append(list, symbol{name: name, kind: kindField, doc: strings.TrimSpace(doc)})
		}
	}
	for i, r := range text {
		switch {
		case r == '{':
			if depth++; depth == 1 {
				start = i + 1
			}
		case r == '}' && depth > 0:
			if depth--; depth == 0 {
				add(text[start:i])
			}
		case r == ',' && depth == 1:
			add(text[start:i])
			start = i + 1
		}
	}
	return list
}
