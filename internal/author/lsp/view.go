package lsp

import (
	"context"
	"encoding/json"

	"botwork/internal/author/lsp/rpc"
)

// view is the state that one request uses: a document and all others as they were when
// the request arrived, and the project of the document.
type view struct {
	server  *server
	docs    documents
	doc     *document
	project *opened
	role    role
}

// onDocument returns a request that calls a function for a document of a project. For
// other documents, the answer is null.
func onDocument[P any](uri func(P) string, do func(*view, P) (any, error)) request {
	return func(s *server, raw json.RawMessage) (rpc.Work, error) {
		params, err := rpc.Params[P](raw)
		if err != nil {
			return nil, err
		}
		docs := s.snapshot()
		return func(context.Context) (any, error) {
			d := docs[uri(params)]
			if d == nil || len(d.text) > maxDocument {
				return nil, nil
			}
			p, err := s.project(docs, s.settingsFor(docs, d.path))
			if err != nil {
				return nil, err
			}
			v := &view{server: s, docs: docs, doc: d, project: p, role: p.roleOf(d)}
			if v.role == unrelated {
				return nil, nil
			}
			return do(v, params)
		}, nil
	}
}

// onPosition is onDocument for a position in the document.
func onPosition(do func(v *view, offset int) (any, error)) request {
	return onDocument(func(p atPosition) string { return p.TextDocument.URI }, func(v *view, p atPosition) (any, error) {
		return do(v, v.doc.offset(p.Position))
	})
}

// isPipeline reports whether the document is a pipeline.
func (v *view) isPipeline() bool { return v.role == pipeline || v.role == standalone }
