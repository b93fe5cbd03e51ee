package pipelines

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
)

// Catalogue holds the pipelines of a folder by name and resolves what an
// item's IntegrationConfig says. It may be used from several goroutines at once.
type Catalogue struct {
	compiler *Compiler
	byName   map[string]*Pipeline // keys in lower case
	broken   []Broken
	inline   *inlineCache
}

// NewCatalogue returns a catalogue without pipelines, in which inline ones
// resolve all the same.
func NewCatalogue(c *Compiler) *Catalogue {
	return &Catalogue{
		compiler: c, byName: map[string]*Pipeline{}, inline: newInlineCache(maxInline),
	}
}

// LoadDir reads and compiles the pipelines of a folder; see ReadDir and Load.
func LoadDir(c *Compiler, dir string) (*Catalogue, strictyaml.Findings, error) {
	files, err := ReadDir(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	k, findings := Load(c, files)
	return k, findings, nil
}

// absolute shows where a relative path led: a service starts somewhere else
// than its administrator.
func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// IsTestFile tells by its name whether a file in a folder of pipelines holds
// tests of a pipeline, such as hello_test.yaml, and so is none itself.
func IsTestFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")
}

// pipelineFiles lists the files of a folder in the order of their paths.
func pipelineFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if ext := strings.ToLower(filepath.Ext(path)); !entry.IsDir() && (ext == ".yaml" || ext == ".yml") && !IsTestFile(path) {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// Add compiles one file into the catalogue and returns what is wrong with it.
// It is for filling a catalogue before others use it.
func (k *Catalogue) Add(file string, data []byte) strictyaml.Findings {
	base := filepath.Base(file)
	p, top, findings := k.compiler.parse(file, strings.TrimSuffix(base, filepath.Ext(base)), data)
	key := strings.ToLower(p.Name)
	if first := k.byName[key]; first != nil && len(findings) == 0 {
		findings = strictyaml.Findings{{File: file, Line: 1, Column: 1, Code: CodeDuplicatePipeline,
			Message: fmt.Sprintf("the pipeline %q is in %s already, as %q", p.Name, first.File, first.Name),
			Hint:    "give one of them another name; upper and lower case make no difference"}}
	}
	if len(findings) > 0 {
		k.broken = append(k.broken, brokenFile(p, top, findings))
		return findings
	}
	k.byName[key] = p
	return nil
}

// Get returns the pipeline of exactly this name.
func (k *Catalogue) Get(name string) (*Pipeline, bool) {
	p := k.byName[strings.ToLower(name)]
	if p == nil || p.Name != name {
		return nil, false
	}
	return p, true
}

// All returns all pipelines in the order of their names.
func (k *Catalogue) All() []*Pipeline {
	all := make([]*Pipeline, 0, len(k.byName))
	for _, p := range k.byName {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Pipeline) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Warnings returns those of all pipelines, in the order of files and places.
func (k *Catalogue) Warnings() strictyaml.Findings {
	var all strictyaml.Findings
	for _, p := range k.byName {
		all = append(all, p.Warnings...)
	}
	all.Sort()
	return all
}

// names returns the names of the pipelines that items may run.
func (k *Catalogue) names() []string {
	var list []string
	for _, p := range k.All() {
		if p.Trigger == nil {
			list = append(list, p.Name)
		}
	}
	return list
}
