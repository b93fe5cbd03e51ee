package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// symbol is the value that a name in an expression refers to.
type symbol struct {
	name string
	kind int    // of the proposal
	typ  string // "" if unknown
	doc  string // Markdown

	// members returns its fields, element an element of a list; nil if unknown.
	members func() []symbol
	element func() symbol

	// origin is the key of the document that defines it, nil if there is none.
	origin *sketch.Entry
}

// scope contains the names that expressions in one step of a pipeline can use.
type scope struct {
	v     *view
	tree  *sketch.Node
	steps []step
	at    int // the index of the step; the steps before it have run
}

// variables returns the top-level names.
func (sc *scope) variables() []symbol {
	var list []symbol
	system := sc.tree.Find("trigger") != nil
	for _, v := range pipelines.Variables(system) {
		s := symbol{name: v.Name, kind: kindVariable, typ: v.Type, doc: v.Doc}
		switch v.Name {
		case "payload":
			s = sc.payload(s)
		case "input":
			s = sc.input(s)
		case "steps":
			s.members = sc.earlierSteps
		case "secrets":
			s.members = sc.secrets
		case "env":
			s.members = sc.environment
		default:
			if len(v.Fields) > 0 {
				s.members = func() []symbol { return fields(v.Fields) }
			}
		}
		list = append(list, s)
	}
	return list
}

func functions() []symbol {
	var list []symbol
	for _, f := range pipelines.Functions() {
		list = append(list, symbol{name: f.Name, kind: kindFunction, typ: f.Signature, doc: f.Doc})
	}
	return list
}

func fields(vs []pipelines.Variable) []symbol {
	list := make([]symbol, len(vs))
	for i, v := range vs {
		list[i] = symbol{name: v.Name, kind: kindField, typ: v.Type, doc: v.Doc}
	}
	return list
}

// payload adds the fields that the pipeline's `input` describes.
func (sc *scope) payload(s symbol) symbol {
	schema := sc.tree.Get("input")
	if schema == nil || schema.Kind != sketch.Mapping {
		return s
	}
	payload := schemaSymbol(s.name, schema, schema, 0)
	payload.kind = s.kind
	if payload.doc == "" {
		payload.doc = s.doc
	}
	return payload
}

// input returns the input of the step: the payload in the first step, otherwise the
// output of the previous step.
func (sc *scope) input(s symbol) symbol {
	input := sc.inputOf(sc.at)
	input.name, input.kind, input.doc = s.name, s.kind, s.doc
	input.typ = cmp.Or(input.typ, s.typ)
	return input
}

func (sc *scope) earlierSteps() []symbol {
	var list []symbol
	for _, st := range sc.steps[:min(max(sc.at, 0), len(sc.steps))] {
		if st.name != "" {
			list = append(list, sc.stepSymbol(st))
		}
	}
	return list
}

// stepSymbol describes a step: its handler and its output.
func (sc *scope) stepSymbol(st step) symbol {
	s := symbol{name: st.name, kind: kindReference, typ: st.kind()}
	kind, found := sc.v.project.Registry.Lookup(st.kind())
	if found {
		s.doc = fmt.Sprintf("Step %d, handler `%s`: %s.\n\nOutput: %s", st.index+1, kind.Name, kind.Summary, strings.TrimSpace(kind.Output))
	}
	s.members = func() []symbol {
		list := fields(pipelines.StepFields())
		for i := range list {
			if list[i].name == "output" && found {
				out := sc.output(st.index)
				list[i].members, list[i].element, list[i].typ = out.members, out.element, cmp.Or(out.typ, list[i].typ)
				list[i].doc = strings.TrimSpace(kind.Output) + "\n\nnil if the step was skipped or failed."
			}
		}
		return list
	}
	return s
}

// secrets returns the names of secrets. Their values are never shown.
func (sc *scope) secrets() []symbol {
	var list []symbol
	for _, name := range slices.Sorted(maps.Keys(sc.v.project.Secrets)) {
		doc := "a secret of the settings; it has a value here"
		if !sc.v.project.Secrets[name] {
			doc = "a secret of the settings; it has no value here: its environment variable is not set, or its file does not exist"
		}
		list = append(list, symbol{name: name, kind: kindConstant, typ: "text", doc: doc})
	}
	return list
}

func (sc *scope) environment() []symbol {
	var list []symbol
	for _, name := range slices.Sorted(maps.Keys(pipelines.Environ())) {
		if sc.v.project.SecretEnv[name] != "" {
			continue
		}
		list = append(list, symbol{name: name, kind: kindConstant, typ: "text", doc: "set in the editor's environment; the worker's environment can differ"})
	}
	return list
}

// resolve follows a chain to one of its links and returns the symbol of that link.
func (sc *scope) resolve(c chain, link int) (symbol, bool) {
	roots := sc.variables()
	if link == 0 {
		roots = append(roots, functions()...)
	}
	s, ok := named(roots, c[0].text)
	for i := 1; ok && i <= link; i++ {
		switch {
		case c[i].element:
			if ok = s.element != nil; ok {
				s = s.element()
			}
		case s.members == nil:
			return symbol{}, false
		default:
			s, ok = named(s.members(), c[i].text)
		}
	}
	return s, ok
}

func named(list []symbol, name string) (symbol, bool) {
	i := slices.IndexFunc(list, func(s symbol) bool { return s.name == name })
	if i < 0 {
		return symbol{}, false
	}
	return list[i], true
}
