package pipelines

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/filenames"
)

// Catalogue holds the pipelines of a folder by name and resolves an item's
// IntegrationConfig. It is safe for concurrent use.
type Catalogue struct {
	compiler *Compiler
	byName   map[string]*Pipeline // keys in lower case
	callers  map[string]*Pipeline // the pipelines that call others, before their calls were resolved
	files    map[string]string    // keys in lower case
	broken   []Broken
	inline   *inlineCache
}

// NewCatalogue returns a catalogue without pipelines. It still resolves inline ones.
func NewCatalogue(c *Compiler) *Catalogue {
	return &Catalogue{
		compiler: c, byName: map[string]*Pipeline{}, callers: map[string]*Pipeline{}, files: map[string]string{}, inline: newInlineCache(maxInline),
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

// absolute returns the absolute path for error messages: the working directory of a service
// is not that of its administrator.
func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// IsTestFile reports whether a file's name marks it as a test of a pipeline, such as
// hello_test.yaml. Such a file is not a pipeline.
func IsTestFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")
}

// pipelineFiles lists the files of a folder, ordered by path.
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

// Add compiles one file into the catalogue and returns its findings, without those about calls of other
// pipelines: they may be added later. Call it before others use the catalogue.
func (k *Catalogue) Add(file string, data []byte) strictyaml.Findings {
	findings := k.add(file, data)
	_ = k.link() // the callers are broken then, until the pipelines that they call are added
	return findings
}

func (k *Catalogue) add(file string, data []byte) strictyaml.Findings {
	base := filepath.Base(file)
	p, top, findings := k.compiler.parse(file, strings.TrimSuffix(base, filepath.Ext(base)), data)
	key := strings.ToLower(p.Name)
	if first := k.byName[key]; first != nil && len(findings) == 0 {
		findings = strictyaml.Findings{{File: file, Line: 1, Column: 1, Code: CodeDuplicatePipeline,
			Message: fmt.Sprintf("duplicate pipeline name %q: %s already defines it as %q", p.Name, first.File, first.Name),
			Hint:    "rename one of them; names are not case-sensitive"}}
	}
	if len(findings) == 0 {
		findings = k.checkFile(file)
	}
	if len(findings) > 0 {
		k.broken = append(k.broken, brokenFile(p, top, findings))
		return findings
	}
	k.byName[key] = p
	if p.Calls() {
		k.callers[key] = p
	}
	return nil
}

// checkFile returns what is wrong with the name of a file: a project is for every system.
func (k *Catalogue) checkFile(file string) strictyaml.Findings {
	if err := filenames.Check(filepath.Base(file)); err != nil {
		return strictyaml.Findings{{File: file, Line: 1, Column: 1, Code: CodeInvalidName, Message: "file: " + err.Error(), Hint: "rename the file"}}
	}
	key := strings.ToLower(file)
	if first, ok := k.files[key]; ok && first != file {
		return strictyaml.Findings{{File: file, Line: 1, Column: 1, Code: CodeInvalidName,
			Message: fmt.Sprintf("file: got %q beside %q, want names that do not differ only in upper and lower case", filepath.Base(file), filepath.Base(first)), Hint: "rename one of them"}}
	}
	k.files[key] = file
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

// All returns all pipelines, ordered by name.
func (k *Catalogue) All() []*Pipeline {
	all := make([]*Pipeline, 0, len(k.byName))
	for _, p := range k.byName {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Pipeline) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Warnings returns the warnings of all pipelines, ordered by file and position.
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
