package lsp

import (
	"botwork/internal/author/keydocs"
)

// Draft is a text that is being edited by a program that does not speak the protocol, such as a
// page of the dashboard.
type Draft struct {
	Project *Project
	Path    string // absolute; the file need not exist
	Text    string

	// SettingsKeys describe the keys of a settings file; see Options.
	SettingsKeys keydocs.Keys
}

// Proposal is a text that can replace a part of a draft.
type Proposal struct {
	Label  string
	Detail string // a short text beside the label, such as the type
	Doc    string // Markdown
	Filter string // what the typed text is compared with, if that is not the label
	Sort   string // proposals are ordered by this text
	Range  Range  // of the text that is replaced
	Text   string
}

// Explanation describes a part of a draft.
type Explanation struct {
	Text  string // Markdown
	Range Range
}

// Complete returns the proposals for a position. Positions count lines and UTF-16 units from 0, as
// JavaScript does.
func (d Draft) Complete(at Position) []Proposal {
	v := d.view()
	if v == nil {
		return nil
	}
	c := v.completer(v.doc.offset(at))
	c.complete()
	var proposals []Proposal
	for _, item := range c.items {
		p := Proposal{Label: item.Label, Detail: item.Detail, Filter: item.FilterText, Sort: item.SortText, Range: item.TextEdit.Range, Text: item.TextEdit.NewText}
		if item.Documentation != nil {
			p.Doc = item.Documentation.Value
		}
		proposals = append(proposals, p)
	}
	return proposals
}

// Explain describes what is at a position; nil if nothing is known about it.
func (d Draft) Explain(at Position) *Explanation {
	v := d.view()
	if v == nil {
		return nil
	}
	found, err := hoverAt(v, v.doc.offset(at))
	h, ok := found.(hover)
	if err != nil || !ok {
		return nil
	}
	return &Explanation{Text: h.Contents.Value, Range: h.Range}
}

// view returns the state of a request for the draft; nil if it is not a file of the project.
func (d Draft) view() *view {
	if len(d.Text) > maxDocument {
		return nil
	}
	s := &server{opts: Options{SettingsKeys: d.SettingsKeys}}
	s.client.TextDocument.Completion.CompletionItem.InsertTextModeSupport.ValueSet = []int{1} // texts of several lines are inserted as they are
	doc := newDocument(uriOf(d.Path), d.Path, d.Text, false)
	v := &view{server: s, docs: documents{doc.uri: doc}, doc: doc, project: s.newOpened(d.Project)}
	if v.role = v.project.roleOf(doc); v.role == unrelated {
		return nil
	}
	return v
}
