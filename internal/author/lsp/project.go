package lsp

import (
	"os"
	"path/filepath"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// settingsName is what a project's settings file is called.
const settingsName = "botwork.yaml"

// Project is what a settings file leads to. Whoever opens it keeps nothing of it:
// it is read by several requests at once.
type Project struct {
	// Settings is the absolute path of the settings file, "" when there is none
	// and the defaults hold.
	Settings string

	// Dir is the absolute path of the pipelines folder, "" for none.
	Dir string

	// Registry has the handlers that steps may name, Compiler judges pipelines
	// that stand outside the folder.
	Registry *handlers.Registry
	Compiler *pipelines.Compiler

	// Secrets tells of each secret's name whether there is a text for it.
	Secrets map[string]bool

	// SecretEnv has the environment variables that expressions cannot read.
	SecretEnv map[string]string

	// Files are the texts of the folder, Findings all that is wrong with
	// the settings and with them.
	Files    []File
	Findings strictyaml.Findings
}

// File is a text with its absolute path.
type File struct {
	Path string
	Text string
}

// Open reads and checks a project by its settings file; "" is a project without
// one. read reads files as the editor has them. A settings file with mistakes is
// no error: what it leaves open is guessed, and the findings tell.
type Open func(settings string, read func(path string) ([]byte, error)) (*Project, error)

// opened is a project with its files as documents.
type opened struct {
	*Project
	files map[string]*document // by fileKey
	order []string
}

func (s *server) newOpened(p *Project) *opened {
	o := &opened{Project: p, files: map[string]*document{}}
	for _, f := range p.Files {
		key := fileKey(f.Path)
		o.files[key] = newDocument(uriOf(f.Path), f.Path, f.Text, s.utf8)
		o.order = append(o.order, key)
	}
	return o
}

// settingsFor returns the settings file of the project that a file belongs to:
// the nearest above it, "" when there is none.
func (s *server) settingsFor(docs documents, path string) string {
	if s.opts.Settings != "" {
		return s.opts.Settings
	}
	if path == "" {
		path = filepath.Join(s.root, "untitled")
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, settingsName)
		if docs.file(file) != nil {
			return file
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// role is what a document is to its project.
type role int

const (
	foreign  role = iota // nothing of ours: a file of another program
	settings             // the settings file
	pipeline             // a pipeline of the folder
	loose                // a pipeline that stands elsewhere
)

// roleOf tells what a document is. An editor hands over every YAML file that
// somebody looks at; outside the pipelines folder one is taken for a pipeline
// when its steps name handlers.
func (p *Project) roleOf(d *document) role {
	if d.path != "" && (fileKey(d.path) == fileKey(p.Settings) || filepath.Base(d.path) == settingsName) {
		return settings
	}
	if p.Dir != "" && d.path != "" && pipelineFile(p.Dir, d.path) {
		return pipeline
	}
	if len(d.text) > maxDocument || pipelines.IsTestFile(d.path) {
		return foreign
	}
	if steps := d.tree().Get("steps"); steps != nil {
		for _, step := range steps.Items {
			if step.Find("handler") != nil {
				return loose
			}
		}
	}
	return foreign
}

// pipelineFile tells whether a path is that of a pipeline in the folder dir.
func pipelineFile(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "" || part[0] == '.' || part[0] == '_' {
			return false
		}
	}
	ext := strings.ToLower(filepath.Ext(rel))
	return (ext == ".yaml" || ext == ".yml") && !pipelines.IsTestFile(path)
}
