package lsp

import (
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/lsp/sketch"
)

// reference is the kind of object that a value refers to.
type reference int

const (
	toNothing reference = iota
	toHandler
	toPipeline
	toQueue
	toConnection
)

// referenceOf returns the kind of object that the value of a key refers to. Parameters
// are recognised by their names, so that custom handlers are supported too.
func (v *view) referenceOf(mapping *sketch.Node, key string) reference {
	path := mapping.Path()
	if v.isPipeline() {
		rest := inStep(mapping)
		switch {
		case rest == nil:
		case len(rest) == 0 && key == "handler":
			return toHandler
		case len(rest) == 0 && key == "uses":
			return toPipeline
		case len(rest) == 1 && rest[0] == "with":
			switch key {
			case "pipeline":
				return toPipeline
			case "queue", "queues":
				return toQueue
			case "connection":
				return toConnection
			}
		}
		return toNothing
	}
	switch {
	case len(path) == 2 && path[0] == "tasks" && key == "pipeline", len(path) == 3 && path[0] == "tasks" && path[2] == "notify" && key == "pipeline":
		return toPipeline
	case len(path) == 2 && path[0] == "tasks" && key == "queue", len(path) == 1 && path[0] == "worker" && key == "queues":
		return toQueue
	}
	return toNothing
}

// namedPipeline is a pipeline of the folder with the changes in the editor.
type namedPipeline struct {
	name        string
	description string
	system      bool // it has a trigger
	doc         *document
}

// pipelines returns the pipelines of the folder with the changes in the editor,
// including invalid ones.
func (v *view) pipelines() []namedPipeline {
	var list []namedPipeline
	for _, key := range v.project.order {
		d := v.project.files[key]
		if open := v.docs.file(d.path); open != nil {
			d = open
		}
		if len(d.text) > maxDocument {
			continue
		}
		p := namedPipeline{doc: d, name: strings.TrimSuffix(filepath.Base(d.path), filepath.Ext(d.path))}
		if name := d.tree().Get("name"); name != nil && name.Text != "" {
			p.name = name.Text
		}
		if text := d.tree().Get("description"); text != nil {
			p.description = text.Text
		}
		p.system = d.tree().Find("trigger") != nil
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b namedPipeline) int { return strings.Compare(a.name, b.name) })
	return list
}

// pipelineNamed returns the pipeline of a name, or of the path of its file without its ending, such as
// common/post-to-ledger.
func (v *view) pipelineNamed(name string) (namedPipeline, bool) {
	list := v.pipelines()
	i := slices.IndexFunc(list, func(p namedPipeline) bool { return p.name == name })
	if i < 0 && strings.Contains(name, "/") {
		i = slices.IndexFunc(list, func(p namedPipeline) bool {
			return strings.HasSuffix(filepath.ToSlash(strings.TrimSuffix(p.doc.path, filepath.Ext(p.doc.path))), "/"+name)
		})
	}
	if i < 0 {
		return namedPipeline{}, false
	}
	return list[i], true
}

// settingsDocument returns the settings file with the changes in the editor, nil if there
// is none.
func (v *view) settingsDocument() *document {
	file := v.project.Settings
	if file == "" {
		return nil
	}
	if d := v.docs.file(file); d != nil {
		return d
	}
	text, err := v.docs.read(file)
	if err != nil {
		return nil
	}
	return newDocument(uriOf(file), file, string(text), v.server.utf8)
}

// settingsNames returns the keys of a section of the settings file.
func (v *view) settingsNames(section string) []string {
	d := v.settingsDocument()
	if d == nil || len(d.text) > maxDocument {
		return nil
	}
	return keysOf(d.tree().Get(section))
}
