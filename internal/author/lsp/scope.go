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

// symbol is what a name in an expression stands for.
type symbol struct {
	name string
	kind int    // of the proposal
	typ  string // "" when nobody knows
	doc  string // Markdown

	// members are its fields, element what a list holds; nil where they are not
	// known.
	members func() []symbol
	element func() symbol

	// origin is the key of the document that says what it is, nil for none.
	origin *sketch.Entry
}

// scope is what expressions of one step of a pipeline may name.
type scope struct {
	v     *view
	tree  *sketch.Node
	steps []step
	at    int // the step; those before it have run
}

// variables returns the names without anything in front.
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

// payload knows the fields that the pipeline's `input` describes.
func (sc *scope) payload(s symbol) symbol {
	schema := sc.tree.Get("input")
	if schema == nil || schema.Kind != sketch.Mapping {
		return s
	}
	of := schemaSymbol(s.name, schema, schema, 0)
	of.kind = s.kind
	if of.doc == "" {
		of.doc = s.doc
	}
	return of
}

// input is the payload in the first step, else what the step before put out.
func (sc *scope) input(s symbol) symbol {
	given := sc.given(sc.at)
	given.name, given.kind, given.doc = s.name, s.kind, s.doc
	given.typ = cmp.Or(given.typ, s.typ)
	return given
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

// stepSymbol explains a step: its handler, and what it puts out.
func (sc *scope) stepSymbol(st step) symbol {
	s := symbol{name: st.name, kind: kindReference, typ: st.kind()}
	kind, known := sc.v.project.Registry.Lookup(st.kind())
	if known {
		s.doc = fmt.Sprintf("Step %d, handler `%s`: %s.\n\nOutput: %s", st.index+1, kind.Name, kind.Summary, strings.TrimSpace(kind.Output))
	}
	s.members = func() []symbol {
		list := fields(pipelines.StepFields())
		for i := range list {
			if list[i].name == "output" && known {
				out := sc.output(st.index)
				list[i].members, list[i].element, list[i].typ = out.members, out.element, cmp.Or(out.typ, list[i].typ)
				list[i].doc = strings.TrimSpace(kind.Output) + "\n\nnil when the step was skipped or failed."
			}
		}
		return list
	}
	return s
}

// secrets are names only: a value is shown nowhere.
func (sc *scope) secrets() []symbol {
	var list []symbol
	for _, name := range slices.Sorted(maps.Keys(sc.v.project.Secrets)) {
		doc := "a secret of the settings; it has a value here"
		if !sc.v.project.Secrets[name] {
			doc = "a secret of the settings; it has no value here: its variable is not set, or its file is not there"
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
		list = append(list, symbol{name: name, kind: kindConstant, typ: "text", doc: "set in the editor's environment; what counts is the worker's"})
	}
	return list
}

// resolve follows a chain up to one of its links, and tells what that is.
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
