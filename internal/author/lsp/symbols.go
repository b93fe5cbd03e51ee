package lsp

import (
	"cmp"
	"strconv"

	"botwork/internal/author/lsp/sketch"
)

// DocumentSymbol is an entry of an editor's outline.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// The kinds of entries.
const (
	symbolKey  = 20
	symbolStep = 12
)

// outline answers textDocument/documentSymbol: the top-level keys of the file, the
// steps, and the names in the sections of the settings.
func outline(v *view, _ symbolParams) (any, error) {
	list := []DocumentSymbol{}
	for _, e := range v.doc.tree().Entries {
		if e.Colon < 0 {
			continue
		}
		s := v.symbol(e.Key, "", symbolKey, e.From, max(e.To, e.Value.To), e.From, e.To)
		switch {
		case topList(e.Key) < 0 && v.isPipeline():
			s.Children = v.stepSymbols(stepsOf(v.doc.tree()), topList(e.Key))
		case !v.isPipeline():
			for _, inner := range e.Value.Entries {
				if inner.Colon >= 0 {
					s.Children = append(s.Children, v.symbol(inner.Key, "", symbolKey, inner.From, max(inner.To, inner.Value.To), inner.From, inner.To))
				}
			}
		}
		list = append(list, s)
	}
	if v.server.client.TextDocument.DocumentSymbol.Hierarchical {
		return list, nil
	}
	return v.flat(list, []map[string]any{}), nil
}

type symbolParams struct {
	TextDocument textDocumentID `json:"textDocument"`
}

func (v *view) symbol(name, detail string, kind, from, to, nameFrom, nameTo int) DocumentSymbol {
	if name == "" {
		name = "-" // editors reject an entry without a name
	}
	return DocumentSymbol{Name: name, Detail: detail, Kind: kind, Range: v.doc.span(from, to), SelectionRange: v.doc.span(nameFrom, nameTo)}
}

// stepSymbols returns the steps of the block of one of the steps, or of a list at the top of the file; see topList.
func (v *view) stepSymbols(steps []step, of int) []DocumentSymbol {
	var list []DocumentSymbol
	for _, st := range steps[max(of, -1)+1:] {
		if st.parent != of || st.node.Kind != sketch.Mapping {
			continue
		}
		at := st.declaration()
		if at == nil || at.From < st.node.From || at.To > st.node.To {
			at = &sketch.Node{From: st.node.From, To: st.node.From}
		}
		name := cmp.Or(st.name, "step "+strconv.Itoa(st.index+1))
		s := v.symbol(name, st.runs(), symbolStep, st.node.From, st.node.To, at.From, at.To)
		if st.block != nil {
			s.Children = v.stepSymbols(steps, st.index)
		}
		list = append(list, s)
	}
	return list
}

// flat converts an outline for clients that do not support several levels.
func (v *view) flat(list []DocumentSymbol, into []map[string]any) []map[string]any {
	for _, s := range list {
		into = append(into, map[string]any{"name": s.Name, "kind": s.Kind, "location": Location{v.doc.uri, s.Range}})
		into = v.flat(s.Children, into)
	}
	return into
}
