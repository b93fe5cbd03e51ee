package lsp

import (
	"botwork/internal/author/lsp/sketch"
)

// definition answers textDocument/definition for the name at the cursor.
func definition(v *view, offset int) (any, error) {
	value := v.doc.tree().At(offset).Value
	if st, _, _, ok := v.stepAt(offset); ok && (st.uses == nil || st.uses != value) {
		n := st.declaration()
		return Location{v.doc.uri, v.doc.span(n.From, n.To)}, nil
	}
	if v.isPipeline() {
		if m, ok := mentionAt(v.doc.text, v.doc.tree(), offset); ok {
			return v.defineName(m), nil
		}
	}
	if value == nil || value.Kind != sketch.Scalar {
		return nil, nil
	}
	k, mapping, ok := v.keyFor(value)
	if !ok {
		return nil, nil
	}
	switch v.referenceOf(mapping, k.Name) {
	case toPipeline:
		return v.definePipeline(value.Text), nil
	case toQueue:
		return v.defineSetting("queues", value.Text), nil
	case toConnection:
		return v.defineSetting("connections", value.Text), nil
	}
	return nil, nil
}

// defineName returns the position of a secret or a value in the settings, of a field of the payload in
// `input`, or of the name of a loop's element, or nil.
func (v *view) defineName(m mention) any {
	if section := m.chain[0].text; m.at == 1 && (section == "secrets" || section == "values") {
		return v.defineSetting(section, m.chain[1].text)
	}
	if s, ok := v.scopeOf(m).resolve(m.chain, m.at); ok && s.origin != nil {
		return Location{v.doc.uri, v.doc.span(s.origin.From, s.origin.To)}
	}
	return nil
}

// definePipeline returns the position of the name in a pipeline's file, or the beginning
// of the file if the pipeline has the name of the file.
func (v *view) definePipeline(name string) any {
	p, ok := v.pipelineNamed(name)
	if !ok {
		return nil
	}
	at := Location{URI: p.doc.uri}
	if n := p.doc.tree().Get("name"); n != nil && n.Text == p.name {
		at.Range = p.doc.span(n.From, n.To)
	}
	return at
}

// defineSetting returns the position of a key in a section of the settings file.
func (v *view) defineSetting(section, name string) any {
	d := v.settingsDocument()
	if d == nil || len(d.text) > maxDocument {
		return nil
	}
	if e := d.tree().Get(section).Find(name); e != nil {
		return Location{d.uri, d.span(e.From, e.To)}
	}
	return nil
}

type referenceParams struct {
	atPosition
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// references answers textDocument/references for the step at the cursor.
func references(v *view, p referenceParams) (any, error) {
	st, _, _, ok := v.stepAt(v.doc.offset(p.Position))
	if !ok {
		return nil, nil
	}
	found := []Location{}
	if p.Context.IncludeDeclaration {
		n := st.declaration()
		found = append(found, Location{v.doc.uri, v.doc.span(n.From, n.To)})
	}
	for _, m := range v.stepMentions() {
		if l := m.chain[1]; l.text == st.name {
			found = append(found, Location{v.doc.uri, v.doc.span(l.from, l.to)})
		}
	}
	return found, nil
}
