package lsp

import (
	"maps"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// output returns the symbol of a step's output: of a loop, the list of the outputs of its
// iterations.
func (sc *scope) output(i int) symbol {
	st := sc.steps[i]
	if st.foreach == nil {
		return sc.outputOnce(i)
	}
	if collect := scalar(st.node, "collect"); collect != nil && collect.Text == "false" {
		return sc.inputOf(i)
	}
	return symbol{typ: "list", element: func() symbol { return sc.outputOnce(i) }}
}

// outputOnce returns the symbol of the output of a step, or of an iteration of it.
func (sc *scope) outputOnce(i int) symbol {
	st := sc.steps[i]
	if st.block == nil {
		return sc.handlerOutput(i)
	}
	var inner []int
	for _, one := range sc.steps[i+1:] {
		if one.parent == i {
			inner = append(inner, one.index)
		}
	}
	if besides(st.block) {
		return symbol{typ: "map", members: func() []symbol {
			var list []symbol
			for _, at := range inner {
				out := sc.output(at)
				out.name, out.kind = sc.steps[at].name, kindField
				list = append(list, out)
			}
			return list
		}}
	}
	if len(inner) == 0 {
		return sc.innerInput(i)
	}
	return sc.output(inner[len(inner)-1])
}

// handlerOutput returns the symbol of the output of a step's handler, as the handler describes it for the
// step's parameters or for any parameters.
func (sc *scope) handlerOutput(i int) symbol {
	st := sc.steps[i]
	kind, ok := sc.v.project.Registry.Lookup(st.kind())
	if !ok {
		return symbol{}
	}
	with, _ := literal(st.node.Get("with")).(map[string]any)
	shape := kind.Shape(with)
	if shape.Type == handlers.InputShape.Type {
		return sc.innerInput(i)
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

// inputOf returns the symbol of a step's input: the output of the previous step in its list, or
// the input of the block, or the payload. It ignores that the previous step can be skipped.
func (sc *scope) inputOf(i int) symbol {
	if i < 0 {
		return sc.payload(symbol{})
	}
	st := sc.steps[i]
	if st.node.Index > 0 && !besides(st.node.Parent) {
		for j := i - 1; j >= 0; j-- {
			if sc.steps[j].parent == st.parent {
				return sc.output(j)
			}
		}
	}
	if st.parent >= 0 {
		return sc.innerInput(st.parent)
	}
	return sc.payload(symbol{})
}

// innerInput returns the symbol of the input of what a step runs: of a loop, its element.
func (sc *scope) innerInput(i int) symbol {
	if sc.steps[i].foreach != nil {
		return sc.element(i)
	}
	return sc.inputOf(i)
}

// element returns the symbol of an element of a loop, as far as its list is a name.
func (sc *scope) element(i int) symbol {
	if s, ok := sc.known[i]; ok {
		return s
	}
	n, found := sc.steps[i].foreach, symbol{}
	for _, s := range sections(sc.text, n) {
		all := chains(sc.text, s, n.Style == sketch.DoubleQuoted)
		if len(all) != 1 {
			continue
		}
		outer := *sc
		outer.at, outer.looped = i, false
		if list, ok := outer.resolve(all[0], len(all[0])-1); ok && list.element != nil {
			found = list.element()
		}
	}
	sc.known[i] = found
	return found
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
