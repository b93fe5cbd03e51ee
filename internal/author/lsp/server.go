package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp/rpc"
)

// Options configure the server.
type Options struct {
	// Open opens projects.
	Open Open

	// Settings is the absolute path of the settings file of all documents. If it
	// is "", each document uses the nearest settings file in a folder above.
	Settings string

	// SettingsKeys describe the keys of a settings file.
	SettingsKeys keydocs.Keys

	// Version is the version of the program, for the client.
	Version string

	// Log receives internal errors with their stacks, as text. It must not be the
	// connection. nil discards them.
	Log io.Writer

	// Debounce is the time without changes after which documents are checked; 0
	// means 200 ms.
	Debounce time.Duration
}

// ErrNoShutdown means that the client ended the connection without a shutdown
// request.
var ErrNoShutdown = errors.New("the editor ended the connection without a shutdown request")

// Serve answers the messages of in on out until the client exits or disconnects, or
// ctx ends. It returns nil if the client sent a shutdown request first, and
// ErrNoShutdown if not.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if opts.Debounce == 0 {
		opts.Debounce = 200 * time.Millisecond
	}
	s := &server{
		opts: opts, ctx: ctx, stop: cancel, docs: documents{}, projects: map[string]*opened{},
		published: map[string]publishParams{}, fixes: map[string]fixes{}, requests: requests(), kick: make(chan struct{}, 1),
	}
	s.conn = rpc.NewConn(out, s)
	var checks sync.WaitGroup
	checks.Go(func() { s.checkLoop(ctx) })
	err := s.conn.Serve(ctx, in)
	cancel()
	checks.Wait()
	switch {
	case s.finished && (err == nil || errors.Is(err, io.EOF)):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return ErrNoShutdown
	case errors.Is(err, context.Canceled) && s.gone.Load():
		return ErrNoShutdown
	}
	return err
}

// documents are texts by their URI.
type documents map[string]*document

// file returns the open document with a path, or nil.
func (ds documents) file(path string) *document {
	key := fileKey(path)
	for _, d := range ds {
		if d.path != "" && fileKey(d.path) == key {
			return d
		}
	}
	return nil
}

// LogError implements rpc.Handler.
func (s *server) LogError(text string) {
	if s.opts.Log != nil {
		_, _ = io.WriteString(s.opts.Log, "botwork lsp: "+text+"\n")
	}
}

// request returns the work for a request. It is called in the order of the
// messages.
type request func(s *server, params json.RawMessage) (rpc.Work, error)

// requests are the supported requests except initialize and shutdown.
func requests() map[string]request {
	return map[string]request{
		"textDocument/completion":     onPosition(complete),
		"textDocument/hover":          onPosition(hoverAt),
		"textDocument/definition":     onPosition(definition),
		"textDocument/prepareRename":  onPosition(prepareRename),
		"textDocument/rename":         onDocument(func(p renameParams) string { return p.TextDocument.URI }, rename),
		"textDocument/references":     onDocument(func(p referenceParams) string { return p.TextDocument.URI }, references),
		"textDocument/documentSymbol": onDocument(func(p symbolParams) string { return p.TextDocument.URI }, outline),
		"textDocument/codeAction":     onDocument(func(p codeActionParams) string { return p.TextDocument.URI }, codeActions),
	}
}

// Request implements rpc.Handler.
func (s *server) Request(method string, params json.RawMessage) (rpc.Work, error) {
	switch {
	case method == "initialize":
		return s.initialize(params)
	case !s.initialized:
		return nil, rpc.Errorf(rpc.ServerNotInitialized, "got %s before initialize", method)
	case s.finished:
		return nil, rpc.Errorf(rpc.InvalidRequest, "got %s after shutdown", method)
	case method == "shutdown":
		s.finished = true
		return func(context.Context) (any, error) { return nil, nil }, nil
	}
	do, ok := s.requests[method]
	if !ok {
		return nil, rpc.Errorf(rpc.MethodNotFound, "unknown method %.100q", method)
	}
	return do(s, params)
}

// Notify implements rpc.Handler.
func (s *server) Notify(method string, raw json.RawMessage) (last bool) {
	if method == "exit" {
		return true
	}
	if !s.initialized || s.finished {
		return false
	}
	switch method {
	case "initialized":
		s.watchFiles()
	case "textDocument/didOpen":
		notified(raw, func(p didOpenParams) { s.didOpen(p.TextDocument) })
	case "textDocument/didChange":
		notified(raw, s.didChange)
	case "textDocument/didClose":
		notified(raw, func(p didOpenParams) { s.didClose(p.TextDocument.URI) })
	case "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration":
		s.changed()
	}
	return false
}

// notified decodes the parameters of a notification. It ignores invalid ones, because
// notifications have no answer.
func notified[T any](raw json.RawMessage, do func(T)) {
	if params, err := rpc.Params[T](raw); err == nil {
		do(params)
	}
}

func (s *server) didOpen(t textDocument) {
	path, _ := pathOf(t.URI)
	d := newDocument(t.URI, path, t.Text, s.utf8)
	d.version, d.open = t.Version, true
	s.setDocument(t.URI, d)
}

func (s *server) didChange(p didChangeParams) {
	if d := s.snapshot()[p.TextDocument.URI]; d != nil {
		s.setDocument(p.TextDocument.URI, d.edit(p.TextDocument.Version, p.ContentChanges))
	}
}

func (s *server) didClose(uri string) { s.setDocument(uri, nil) }

// setDocument replaces a document; nil removes it.
func (s *server) setDocument(uri string, d *document) {
	s.mu.Lock()
	docs := maps.Clone(s.docs)
	if d == nil {
		delete(docs, uri)
	} else {
		docs[uri] = d
	}
	s.docs = docs
	s.mu.Unlock()
	s.changed()
}

// snapshot returns the current documents. The map is never changed.
func (s *server) snapshot() documents {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs
}

// project returns the project of a settings file as of the last check, or opens it.
func (s *server) project(docs documents, settings string) (*opened, error) {
	s.mu.Lock()
	p := s.projects[settings]
	s.mu.Unlock()
	if p != nil {
		return p, nil
	}
	return s.open(docs, settings)
}

// open opens a project with the texts of the editor.
func (s *server) open(docs documents, settings string) (*opened, error) {
	p, err := s.opts.Open(settings, docs.read)
	if err != nil {
		return nil, err
	}
	o := s.newOpened(p)
	s.mu.Lock()
	s.projects[settings] = o
	s.mu.Unlock()
	return o, nil
}

func (s *server) initialize(raw json.RawMessage) (rpc.Work, error) {
	if s.initialized {
		return nil, rpc.Errorf(rpc.InvalidRequest, "got initialize twice")
	}
	params, err := rpc.Params[initializeParams](raw)
	if err != nil {
		return nil, err
	}
	s.initialized, s.client = true, params.Capabilities
	encoding := "utf-16"
	if slices.Contains(params.Capabilities.General.PositionEncodings, "utf-8") {
		encoding, s.utf8 = "utf-8", true
	}
	if root, ok := pathOf(params.RootURI); ok {
		s.root = filepath.Clean(root)
	}
	if params.ProcessID != nil {
		s.watchProcess(*params.ProcessID)
	}
	return func(context.Context) (any, error) {
		return map[string]any{
			"capabilities": serverCapabilities(encoding),
			"serverInfo":   map[string]string{"name": "botwork", "version": s.opts.Version},
		}, nil
	}, nil
}
