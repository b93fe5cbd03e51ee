package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp/sketch"
)

// hoverAt answers textDocument/hover.
func hoverAt(v *view, offset int) (any, error) {
	text, from, to := v.explainName(offset)
	if text == "" {
		text, from, to = v.explainSpot(v.doc.tree().At(offset))
	}
	if text == "" {
		return nil, nil
	}
	return hover{Contents: *markdown(text), Range: v.doc.span(from, to)}, nil
}

// explainName explains a name in an expression.
func (v *view) explainName(offset int) (text string, from, to int) {
	if !v.isPipeline() {
		return "", 0, 0
	}
	m, ok := mentionAt(v.doc.text, v.doc.tree(), offset)
	if !ok {
		return "", 0, 0
	}
	s, ok := v.scopeOf(m).resolve(m.chain, m.at)
	if !ok {
		return "", 0, 0
	}
	text = "**" + s.name + "**"
	switch {
	case s.kind == kindFunction:
		text = "`" + s.typ + "`"
	case s.typ != "":
		text += " (" + s.typ + ")"
	}
	if s.doc != "" {
		text += "\n\n" + upperFirst(s.doc)
	}
	return text, m.chain[m.at].from, m.chain[m.at].to
}

// scopeOf returns the scope of the expression that contains a mention.
func (v *view) scopeOf(m mention) *scope {
	return v.scopeAt(v.doc.text, v.doc.tree(), m.node)
}

// explainSpot explains a key, or a value that refers to an object.
func (v *view) explainSpot(spot sketch.Spot) (text string, from, to int) {
	if e := spot.Key; e != nil {
		if k, ok := v.keyOf(e); ok && e.Colon >= 0 {
			return explain(k), e.From, e.To
		}
		return "", 0, 0
	}
	n := spot.Value
	if n == nil || n.Kind != sketch.Scalar {
		return "", 0, 0
	}
	k, mapping, ok := v.keyFor(n)
	if !ok {
		return "", 0, 0
	}
	return v.explainValue(mapping, k, n.Text), n.From, n.To
}

// keyFor describes the key of a value, or of the list that contains the value.
func (v *view) keyFor(n *sketch.Node) (keydocs.Key, *sketch.Node, bool) {
	if n.Entry == nil && n.Parent != nil {
		n = n.Parent // an element
	}
	if n.Entry == nil {
		return keydocs.Key{}, nil, false
	}
	k, ok := v.keyOf(n.Entry)
	return k, n.Entry.Mapping, ok
}

func (v *view) explainValue(mapping *sketch.Node, k keydocs.Key, name string) string {
	switch v.referenceOf(mapping, k.Name) {
	case toHandler:
		if kind, ok := v.project.Registry.Lookup(name); ok {
			return kind.Markdown()
		}
	case toPipeline:
		if p, ok := v.pipelineNamed(name); ok {
			return strings.TrimSpace(fmt.Sprintf("**%s** (pipeline, %s)\n\n%s", p.name, filepath.Base(p.doc.path), p.description))
		}
	case toQueue:
		return v.explainSetting("queues", "queue", name)
	case toConnection:
		return v.explainSetting("connections", "connection", name)
	}
	for i, word := range k.Enum {
		if word == name && i < len(k.EnumDocs) && k.EnumDocs[i] != "" {
			return fmt.Sprintf("**%s**: %s", word, k.EnumDocs[i])
		}
	}
	return ""
}

// explainSetting returns the position of a name in the settings and its description
// there.
func (v *view) explainSetting(section, what, name string) string {
	d := v.settingsDocument()
	if d == nil {
		return ""
	}
	e := d.tree().Get(section).Find(name)
	if e == nil {
		return ""
	}
	parts := []string{fmt.Sprintf("**%s** (%s, %s line %d)", name, what, filepath.Base(d.path), d.position(e.From).Line+1)}
	for _, key := range []string{"description", "driver"} {
		if value := e.Value.Get(key); value != nil && value.Text != "" {
			parts = append(parts, value.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}
