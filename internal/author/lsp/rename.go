package lsp

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"botwork/internal/author/lsp/rpc"
	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// prepareRename answers textDocument/prepareRename: only steps can be renamed.
func prepareRename(v *view, offset int) (any, error) {
	st, from, to, ok := v.stepAt(offset)
	if !ok {
		return nil, nil
	}
	return map[string]any{"range": v.doc.span(from, to), "placeholder": st.name}, nil
}

type renameParams struct {
	atPosition
	NewName string `json:"newName"`
}

// rename answers textDocument/rename: it renames the step and updates the expressions
// that refer to steps. This can also change the default names of other steps: HTTP-2
// becomes HTTP if the first HTTP step becomes load.
func rename(v *view, p renameParams) (any, error) {
	st, _, _, ok := v.stepAt(v.doc.offset(p.Position))
	if !ok {
		return nil, rpc.Errorf(rpc.RequestFailed, "only steps can be renamed, and this is not the name of a step")
	}
	if wrong := pipelines.CheckStepName(p.NewName); wrong != "" {
		return nil, rpc.Errorf(rpc.RequestFailed, "step name: %s", wrong)
	}
	steps := stepsOf(v.doc.tree())
	for _, other := range steps {
		if other.index != st.index && other.name == p.NewName {
			return nil, rpc.Errorf(rpc.RequestFailed, "step %d already has the name %q", other.index+1, p.NewName)
		}
	}
	if p.NewName == st.name {
		return WorkspaceEdit{Changes: map[string][]TextEdit{}}, nil
	}
	r := renaming{view: v, edits: []change{v.declare(st, p.NewName)}}
	after := renamed(steps, st.index, p.NewName)
	for _, m := range v.stepMentions() {
		if target, ok := findStep(steps, m.chain[1].text); ok && after[target.index] != target.name {
			r.mention(m, after[target.index])
		}
	}
	return WorkspaceEdit{Changes: map[string][]TextEdit{v.doc.uri: r.textEdits()}}, nil
}

// renamed returns the names of all steps after one of them is renamed.
func renamed(steps []step, index int, name string) []string {
	after := make([]string, len(steps))
	used := map[string]bool{name: true}
	for i, st := range steps {
		switch {
		case i == index:
			after[i] = name
		case st.nameNode != nil:
			after[i], used[st.name] = st.name, true
		}
	}
	for i, st := range steps {
		if usual := st.usualName(); after[i] == "" && usual != "" {
			after[i] = defaultName(usual, used)
			used[after[i]] = true
		}
	}
	return after
}

// change replaces a part of the text.
type change struct {
	from, to int
	text     string
	node     *sketch.Node // the value that contains it, nil for a key
}

// declare returns the change that sets the name of a step.
func (v *view) declare(st step, name string) change {
	if n := st.nameNode; n != nil {
		return change{from: n.From, to: n.To, text: yamlName(name, n.Style)}
	}
	first := st.node.Entries[0].From
	text := "name: " + yamlName(name, sketch.Plain)
	if st.node.Flow {
		return change{from: first, to: first, text: text + ", "}
	}
	lineEnd := "\n"
	if strings.Contains(v.doc.text, "\r\n") {
		lineEnd = "\r\n"
	}
	line, start := v.doc.lineAt(v.doc.position(first).Line)
	indent := strings.Repeat(" ", len([]rune(line[:first-start])))
	return change{from: first, to: first, text: text + lineEnd + indent}
}

var (
	plainName    = regexp.MustCompile(`^[\p{L}_].*[^ ]$|^[\p{L}_]$`)
	reservedName = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// yamlName returns a name as YAML that all parsers read as text.
func yamlName(name string, style sketch.Style) string {
	switch {
	case style == sketch.SingleQuoted:
		return "'" + name + "'"
	case style == sketch.Plain && plainName.MatchString(name) && !reservedName.MatchString(name):
		return name
	}
	return `"` + name + `"`
}

// renaming collects the changes of expressions.
type renaming struct {
	*view
	edits []change
}

// mention replaces the name in an expression: after a dot if the name allows it,
// otherwise in brackets.
func (r *renaming) mention(m mention, name string) {
	l := m.chain[1]
	optional := strings.HasSuffix(strings.TrimRight(r.doc.text[:l.opener], " "), "?.") || strings.HasPrefix(r.doc.text[l.opener:], "?.")
	c := change{from: l.opener, to: l.closer, text: "." + name, node: m.node}
	if !pipelines.NamesStep(name) {
		quote := `"`
		if m.node.Style == sketch.DoubleQuoted {
			quote = "'"
		}
		c.text = "[" + quote + name + quote + "]"
	} else if l.bracket && optional {
		c.text = name
	}
	if !l.bracket && optional {
		c.from, c.text = l.from, strings.TrimPrefix(c.text, ".")
	}
	r.edits = append(r.edits, c)
}

// textEdits returns the changes as edits. A plain value within braces, where a bracket
// would end it, is put in quotes as a whole.
func (r *renaming) textEdits() []TextEdit {
	var edits []TextEdit
	quoted := map[*sketch.Node]bool{}
	for _, c := range r.edits {
		if n := c.node; n != nil && n.Style == sketch.Plain && strings.Contains(c.text, "[") && inBrackets(n) {
			quoted[n] = true
		}
	}
	for _, c := range r.edits {
		if !quoted[c.node] {
			edits = append(edits, TextEdit{r.doc.span(c.from, c.to), c.text})
		}
	}
	for n := range quoted {
		edits = append(edits, TextEdit{r.doc.span(n.From, n.To), "'" + strings.ReplaceAll(r.applied(n), "'", "''") + "'"})
	}
	slices.SortStableFunc(edits, func(a, b TextEdit) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	return edits
}

// applied returns the text of a value with its changes.
func (r *renaming) applied(n *sketch.Node) string {
	var inside []change
	for _, c := range r.edits {
		if c.node == n {
			inside = append(inside, c)
		}
	}
	slices.SortStableFunc(inside, func(a, b change) int { return cmp.Compare(a.from, b.from) })
	text, at := "", n.From
	for _, c := range inside {
		text += r.doc.text[at:c.from] + c.text
		at = c.to
	}
	return text + r.doc.text[at:n.To]
}

func inBrackets(n *sketch.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Flow {
			return true
		}
	}
	return false
}

// defaultName returns the name of a step without `name`.
func defaultName(handler string, used map[string]bool) string {
	name := handler
	for n := 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", handler, n)
	}
	return name
}
