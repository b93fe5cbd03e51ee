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

// checks are what came of a check, by the documents' URIs.
type checks map[string]checked

type checked struct {
	publishParams
	fixes fixes
}

// judged makes of findings what the client is told, and what it may ask for.
func (d *document) judged(findings strictyaml.Findings) checked {
	p := d.diagnostics(findings)
	return checked{p, fixes{d, d.fixes(findings, p.Diagnostics)}}
}

// checkLoop checks what is open whenever nothing has changed for a moment.
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

// checkOpen checks all open documents and the projects that they belong to, and
// publishes what is new about them.
func (s *server) checkOpen(ctx context.Context) {
	defer func() {
		if r := recover(); r != nil {
			s.Trouble(fmt.Sprintf("panic in a check: %v\n%s", r, debug.Stack()))
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
			s.Trouble(fmt.Sprintf("open the project of %s: %v", cmp.Or(file, "no settings file"), err))
			continue
		}
		s.collect(docs, p, found)
		for _, d := range bySettings[file] {
			_, ok := found[d.uri]
			switch r := p.roleOf(d); {
			case r == loose, r == pipeline && p.files[fileKey(d.path)] == nil: // not saved yet
				s.checkLoose(d, p, found)
			case r != foreign && !ok:
				found[d.uri] = d.judged(nil)
			}
		}
	}
	s.forgetProjects(bySettings)
	s.publish(docs, found)
}

// collect sorts a project's findings by their files.
func (s *server) collect(docs documents, p *opened, found checks) {
	byFile := map[string]strictyaml.Findings{}
	for _, f := range p.Findings {
		file := f.File
		if !filepath.IsAbs(file) || file == p.Dir {
			// A variable of the environment, or a folder that is not there.
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
			text, _ := docs.read(file) // gone by now: the places are the first line
			d = newDocument(uriOf(file), file, string(text), s.utf8)
		}
		found[d.uri] = d.judged(findings)
	}
}

// checkLoose checks a pipeline that is not in its project's folder.
func (s *server) checkLoose(d *document, p *opened, found checks) {
	compiled, findings := p.Compiler.Parse(cmp.Or(d.path, "untitled.yaml"), []byte(d.text))
	if compiled != nil {
		findings = compiled.Warnings
	}
	found[d.uri] = d.judged(findings)
}

// forgetProjects drops projects of which no document is open: their files may
// change unseen.
func (s *server) forgetProjects(used map[string][]*document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.projects, func(file string, _ *opened) bool { return used[file] == nil })
}

// publish tells the client what has changed since the last time. What was found
// in a text that has changed meanwhile is left to the next check.
func (s *server) publish(seen documents, found checks) {
	for _, d := range seen {
		if _, ok := found[d.uri]; !ok && s.wasPublished(d.uri) {
			found[d.uri] = d.judged(nil)
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
			continue // the version is another by now
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
