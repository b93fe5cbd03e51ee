package lsp

import (
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
)

// fix is a finding with the edit that fixes it.
type fix struct {
	Diagnostic
	from, to int // the range that the edit replaces
	text     string
	safe     bool
}

// fixes are the fixes of a document as of its last check.
type fixes struct {
	doc  *document
	list []fix
}

type codeActionParams struct {
	TextDocument textDocumentID `json:"textDocument"`
	Range        Range          `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// CodeAction is an action that the editor offers.
type CodeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []Diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        WorkspaceEdit `json:"edit"`
}

const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.botwork"
)

// codeActions answers textDocument/codeAction with the edits of the findings in a range,
// and with one action for all safe edits.
func codeActions(v *view, p codeActionParams) (any, error) {
	actions := []CodeAction{}
	from, to := v.doc.offset(p.Range.Start), v.doc.offset(p.Range.End)
	var safe []fix
	for _, f := range v.server.fixesOf(v.doc) {
		if f.safe && (len(safe) == 0 || safe[len(safe)-1].to <= f.from) {
			safe = append(safe, f)
		}
		start, end := v.doc.offset(f.Range.Start), v.doc.offset(f.Range.End)
		if start <= to && from <= end && wanted(p.Context.Only, quickFix) {
			actions = append(actions, CodeAction{
				Title: v.title(f), Kind: quickFix, Diagnostics: []Diagnostic{f.Diagnostic}, IsPreferred: f.safe, Edit: v.edit(f),
			})
		}
	}
	if len(safe) > 0 && wanted(p.Context.Only, fixAll) {
		actions = append(actions, CodeAction{Title: "Fix all auto-fixable problems", Kind: fixAll, Edit: v.edit(safe...)})
	}
	return actions, nil
}

// wanted reports whether a client requests a kind of actions: by its name, by the name of
// a parent kind, or all kinds.
func wanted(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return kind == o || strings.HasPrefix(kind, o+".") })
}

// title describes an edit.
func (v *view) title(f fix) string {
	old, text := v.doc.text[f.from:f.to], strings.TrimSpace(f.text)
	short := func(s string) bool { return len(s) <= 40 && !strings.ContainsAny(s, "\r\n") }
	switch {
	case text == "" && old != "" && short(old):
		return fmt.Sprintf("Remove %s", strings.TrimSpace(old))
	case old == "" && short(text):
		return fmt.Sprintf("Insert %s", text)
	case short(old) && short(text):
		return fmt.Sprintf("Change %s to %s", old, text)
	}
	return "Fix: " + f.Message
}

func (v *view) edit(list ...fix) WorkspaceEdit {
	var edits []TextEdit
	for _, f := range list {
		edits = append(edits, TextEdit{v.doc.span(f.from, f.to), f.text})
	}
	return WorkspaceEdit{Changes: map[string][]TextEdit{v.doc.uri: edits}}
}

// fixesOf returns the fixes of a document, unless it has changed since the last check.
func (s *server) fixesOf(d *document) []fix {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.fixes[d.uri]; f.doc == d {
		return f.list
	}
	return nil
}

// fixes returns the edits of findings in the order of their positions.
func (d *document) fixes(findings strictyaml.Findings, diagnostics []Diagnostic) []fix {
	var list []fix
	for i, f := range findings {
		if e := f.Edit; e != nil {
			from, to := d.findingOffset(e.Line, e.Column), d.findingOffset(e.EndLine, e.EndColumn)
			list = append(list, fix{Diagnostic: diagnostics[i], from: from, to: max(from, to), text: e.Text, safe: e.Safe})
		}
	}
	slices.SortStableFunc(list, func(a, b fix) int { return a.from - b.from })
	return list
}
