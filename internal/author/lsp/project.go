package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// settingsName is the name of the settings file; the files of its environments match
// environmentPattern.
const (
	settingsName       = "botwork.yaml"
	environmentPattern = "botwork.*.yaml"
)

// Project is the project of a settings file. Several requests read it at the same time,
// so it must not be changed.
type Project struct {
	// Settings is the absolute path of the settings file, "" if there is none and
	// the defaults apply.
	Settings string

	// Dir is the absolute path of the pipelines folder, "" if there is none.
	Dir string

	// Registry contains the handlers that steps can use. Compiler checks pipelines
	// outside the folder.
	Registry *handlers.Registry
	Compiler *pipelines.Compiler

	// Secrets reports for the name of each secret whether it has a value.
	Secrets map[string]bool

	// Values are the values of the settings in each environment, the one in use first.
	Values []pipelines.Values

	// SecretEnv contains the environment variables that expressions cannot read.
	SecretEnv map[string]string

	// Files are the texts of the folder. Findings are the findings in the settings
	// and in these files.
	Files    []File
	Findings strictyaml.Findings
}

// File is a text with its absolute path.
type File struct {
	Path string
	Text string
}

// Open reads and checks the project of a settings file; "" is a project without one.
// read returns files with the changes in the editor. A settings file with mistakes is
// not an error: Open guesses the invalid settings and reports the mistakes as findings.
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

// settingsFor returns the settings file of the project that a file belongs to: the
// nearest one in a folder above, "" if there is none.
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

// role is the role of a document in its project.
type role int

const (
	unrelated  role = iota // a file of another program
	settings               // the settings file
	pipeline               // a pipeline in the pipelines folder
	standalone             // a pipeline outside that folder
)

// roleOf returns the role of a document. Editors open all YAML files with this server.
// Outside the pipelines folder, a file counts as a pipeline if one of its steps has a
// handler.
func (p *Project) roleOf(d *document) role {
	if d.path != "" && (p.isSettings(d.path) || filepath.Base(d.path) == settingsName) {
		return settings
	}
	if p.Dir != "" && d.path != "" && pipelineFile(p.Dir, d.path) {
		return pipeline
	}
	if len(d.text) > maxDocument || pipelines.IsTestFile(d.path) {
		return unrelated
	}
	if slices.ContainsFunc(stepsOf(d.tree()), func(st step) bool { return st.node.Find("handler") != nil }) {
		return standalone
	}
	return unrelated
}

// isSettings reports whether a path is that of the settings file or of an environment beside it.
func (p *Project) isSettings(path string) bool {
	if fileKey(path) == fileKey(p.Settings) {
		return true
	}
	isEnvironment, _ := filepath.Match(environmentPattern, filepath.Base(path))
	ext := filepath.Ext(p.Settings)
	if base := filepath.Base(p.Settings); p.Settings != "" && base != settingsName {
		name := filepath.Base(path)
		isEnvironment = strings.HasPrefix(name, strings.TrimSuffix(base, ext)+".") && strings.HasSuffix(name, ext)
	}
	return isEnvironment && fileKey(filepath.Dir(path)) == fileKey(filepath.Dir(p.Settings))
}

// pipelineFile reports whether a path is that of a pipeline in the folder dir.
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
