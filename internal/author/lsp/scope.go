package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
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

// scope contains the names that expressions at one place of a pipeline can use.
type scope struct {
	v     *view
	text  string
	tree  *sketch.Node
	steps []step
	at    int // the index of the step that contains the place, or -1

	// looped is false in the list of a loop, where its element is not known yet.
	looped bool

	// known are the elements of loops, by their steps: each is found once, however many names lead to it.
	known map[int]symbol
}

// scopeAt returns the scope of the expressions in a value.
func (v *view) scopeAt(text string, tree, n *sketch.Node) *scope {
	sc := &scope{v: v, text: text, tree: tree, steps: stepsOf(tree), known: map[int]symbol{}}
	of, path := stepOf(n), inStep(n)
	sc.at = slices.IndexFunc(sc.steps, func(st step) bool { return st.node == of })
	sc.looped = len(path) == 0 || path[0] != "foreach"
	return sc
}

// variables returns the top-level names.
func (sc *scope) variables() []symbol {
	var list []symbol
	system := sc.tree.Find("trigger") != nil
	for _, v := range pipelines.Variables(system) {
		s := symbol{name: v.Name, kind: kindVariable, typ: v.Type, doc: keydocs.WithoutLinks(v.Doc)}
		if len(v.Fields) > 0 {
			s.members = func() []symbol { return fields(v.Fields) }
		}
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
		case "values":
			s.members = func() []symbol { return sc.settingValues() }
		case "vars":
			if s.members = sc.vars(); s.members == nil {
				continue
			}
		case "attempt", "error":
			if !sc.afterwards(v.Name) {
				continue
			}
		case "each":
			list = append(list, sc.elements(s)...)
			continue
		}
		list = append(list, s)
	}
	return list
}

// vars returns the values under `vars`; nil if there are none.
func (sc *scope) vars() func() []symbol {
	vars := sc.tree.Get("vars")
	if vars == nil || len(vars.Entries) == 0 {
		return nil
	}
	return func() (all []symbol) {
		for _, e := range vars.Entries {
			all = append(all, symbol{name: e.Key, kind: kindField, typ: "any", origin: e})
		}
		return all
	}
}

// afterwards reports whether the steps at this place run after the others, so that they have a variable.
func (sc *scope) afterwards(variable string) bool {
	top := sc.at
	for top >= 0 && sc.steps[top].parent >= 0 {
		top = sc.steps[top].parent
	}
	if top < 0 || sc.steps[top].parent == topList("steps") {
		return false
	}
	return variable != "error" || sc.steps[top].parent != topList("onSuccess")
}

// elements returns the elements of the loops around the place, the innermost first. each is that variable.
func (sc *scope) elements(each symbol) []symbol {
	var list []symbol
	innermost := true
	for i := sc.at; i >= 0; i = sc.steps[i].parent {
		if sc.steps[i].foreach == nil || i == sc.at && !sc.looped {
			continue
		}
		element := sc.element(i)
		element.kind, element.doc = kindVariable, fmt.Sprintf("the element of the loop `%s`", sc.steps[i].name)
		if as := scalar(sc.steps[i].node, "as"); as != nil && as.Text != "" {
			element.name, element.origin = as.Text, sc.steps[i].node.Find("as")
			list = append(list, element)
		}
		if !innermost {
			continue
		}
		innermost = false
		members := element.members
		element.name = each.name
		element.members = func() []symbol {
			all := each.members()
			if members != nil {
				all = append(all, members()...)
			}
			return all
		}
		list = append(list, element)
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
		list[i] = symbol{name: v.Name, kind: kindField, typ: v.Type, doc: keydocs.WithoutLinks(v.Doc)}
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

// input returns the input of the step: the payload in the first step, the element in a
// loop, otherwise the output of the previous step.
func (sc *scope) input(s symbol) symbol {
	input := sc.inputOf(sc.at)
	if sc.at >= 0 && sc.looped {
		input = sc.innerInput(sc.at)
	}
	input.name, input.kind, input.doc = s.name, s.kind, s.doc
	input.typ = cmp.Or(input.typ, s.typ)
	return input
}

// earlierSteps returns the steps that have run and that can be read at this place: those before it
// in its list, and in the lists around it.
func (sc *scope) earlierSteps() []symbol {
	var list []symbol
	for _, st := range sc.steps[:max(sc.at, 0)] {
		if st.name != "" && sc.sees(st) {
			list = append(list, sc.stepSymbol(st))
		}
	}
	return list
}

func (sc *scope) sees(st step) bool {
	for i := sc.at; i >= 0; i = sc.steps[i].parent {
		if sc.steps[i].parent == st.parent {
			return st.index < i && !besides(st.node.Parent)
		}
		if sc.steps[i].parent < -1 && st.parent == -1 {
			return true // the steps have ended
		}
	}
	return false
}

// stepSymbol describes a step: what it runs and its output.
func (sc *scope) stepSymbol(st step) symbol {
	s := symbol{name: st.name, kind: kindReference, typ: st.runs()}
	kind, found := sc.v.project.Registry.Lookup(st.kind())
	output := ""
	switch {
	case found:
		output = strings.TrimSpace(kind.Output)
		s.doc = fmt.Sprintf("Step %d, handler `%s`: %s.\n\nOutput: %s", st.index+1, kind.Name, kind.Summary, output)
	case st.uses != nil:
		output = "that of the pipeline " + st.uses.Text
	case st.block != nil && besides(st.block):
		output = "the outputs of its steps, by their names"
	case st.block != nil:
		output = "that of its last step"
	}
	if st.foreach != nil {
		output = "a list with an output for each element"
	}
	if !found && output != "" {
		s.doc = fmt.Sprintf("Step %d.\n\nOutput: %s", st.index+1, output)
	}
	s.members = func() []symbol {
		list := fields(pipelines.StepFields(st.foreach != nil))
		for i := range list {
			if list[i].name == "output" && output != "" {
				out := sc.output(st.index)
				list[i].members, list[i].element, list[i].typ = out.members, out.element, cmp.Or(out.typ, list[i].typ)
				list[i].doc = output + "\n\nnil if the step was skipped or failed."
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
