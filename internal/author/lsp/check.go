package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"botwork/internal/author/strictyaml"
)

// checks are the results of a check by the URIs of documents.
type checks map[string]checked

type checked struct {
	publishParams
	fixes fixes
}

// checked returns the diagnostics and fixes of findings.
func (d *document) checked(findings strictyaml.Findings) checked {
	p := d.diagnostics(findings)
	return checked{p, fixes{d, d.fixes(findings, p.Diagnostics)}}
}

// checkLoop checks the open documents when there have been no changes for the debounce
// time.
func (s *server) checkLoop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
			timer.Reset(s.opts.Debounce)
		case <-timer.C:
			s.checkOpen(ctx)
		}
	}
}

// checkOpen checks all open documents and their projects, and publishes the changed
// diagnostics.
func (s *server) checkOpen(ctx context.Context) {
	defer func() {
		if r := recover(); r != nil {
			s.LogError(fmt.Sprintf("panic in a check: %v\n%s", r, debug.Stack()))
		}
	}()
	docs := s.snapshot()
	found := checks{}
	bySettings := map[string][]*document{}
	for _, d := range docs {
		file := s.settingsFor(docs, d.path)
		bySettings[file] = append(bySettings[file], d)
	}
	for _, file := range slices.Sorted(maps.Keys(bySettings)) {
		if ctx.Err() != nil {
			return
		}
		p, err := s.open(docs, file)
		if err != nil {
			s.LogError(fmt.Sprintf("open the project of %s: %v", cmp.Or(file, "no settings file"), err))
			continue
		}
		s.collect(docs, p, found)
		for _, d := range bySettings[file] {
			_, ok := found[d.uri]
			switch r := p.roleOf(d); {
			case r == standalone, r == pipeline && p.files[fileKey(d.path)] == nil: // not saved yet
				s.checkStandalone(d, p, found)
			case r != unrelated && !ok:
				found[d.uri] = d.checked(nil)
			}
		}
	}
	s.forgetProjects(bySettings)
	s.publish(docs, found)
}

// collect groups the findings of a project by file.
func (s *server) collect(docs documents, p *opened, found checks) {
	byFile := map[string]strictyaml.Findings{}
	for _, f := range p.Findings {
		file := f.File
		if !filepath.IsAbs(file) || file == p.Dir {
			// An environment variable, or a folder that does not exist.
			f.Message = f.File + ": " + f.Message
			f.Line, f.Column, f.EndLine, f.EndColumn = 0, 0, 0, 0
			file = p.Settings
		}
		if file != "" {
			byFile[file] = append(byFile[file], f)
		}
	}
	for file, findings := range byFile {
		d := docs.file(file)
		if d == nil {
			d = p.files[fileKey(file)]
		}
		if d == nil {
			text, _ := docs.read(file) // if the file was deleted, findings are in the first line
			d = newDocument(uriOf(file), file, string(text), s.utf8)
		}
		found[d.uri] = d.checked(findings)
	}
}

// checkStandalone checks a pipeline outside the folder of its project.
func (s *server) checkStandalone(d *document, p *opened, found checks) {
	compiled, findings := p.Compiler.Parse(cmp.Or(d.path, "untitled.yaml"), []byte(d.text))
	if compiled != nil {
		findings = compiled.Warnings
	}
	found[d.uri] = d.checked(findings)
}

// forgetProjects removes projects without an open document, because the server does not
// notice changes of their files.
func (s *server) forgetProjects(used map[string][]*document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.projects, func(file string, _ *opened) bool { return used[file] == nil })
}

// publish sends the diagnostics that have changed since the last time. It skips
// documents that have changed during the check; the next check publishes them.
func (s *server) publish(seen documents, found checks) {
	for _, d := range seen {
		if _, ok := found[d.uri]; !ok && s.wasPublished(d.uri) {
			found[d.uri] = d.checked(nil)
		}
	}
	now := s.snapshot()
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri := range s.published {
		if _, ok := found[uri]; !ok {
			s.conn.Notify("textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []Diagnostic{}})
			delete(s.published, uri)
			delete(s.fixes, uri)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(found)) {
		next := found[uri].publishParams
		if now[uri] != seen[uri] {
			continue // the document has changed meanwhile
		}
		s.fixes[uri] = found[uri].fixes
		last, ok := s.published[uri]
		if ok && reflect.DeepEqual(last, next) {
			continue
		}
		if ok || len(next.Diagnostics) > 0 || next.Version != nil {
			s.conn.Notify("textDocument/publishDiagnostics", next)
			s.published[uri] = next
		}
	}
}

func (s *server) wasPublished(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.published[uri]
	return ok
}
