package pipelinetest

import (
	"path/filepath"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// folder is a folder of pipelines.
type folder struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings
}

// NewFinder returns a Finder that searches pipelines in the folder of the test file, then in
// known, the catalogue of the project, which may be nil. A test file without the key
// pipeline tests the file with its base name, regardless of that pipeline's name:
// hello_test.yaml tests hello.yaml. Each folder is read once.
func NewFinder(compiler *pipelines.Compiler, known *pipelines.Catalogue) Finder {
	folders := map[string]folder{}
	return func(testFile, name string, named bool) (*pipelines.Pipeline, strictyaml.Findings) {
		dir := filepath.Dir(testFile)
		here, ok := folders[dir]
		if !ok {
			catalogue, findings, err := pipelines.LoadDir(compiler, dir)
			if err != nil { // for example, the folder was deleted meanwhile
				findings = strictyaml.Findings{{File: dir, Code: pipelines.CodeUnreadableFile, Message: err.Error()}}
				catalogue = pipelines.NewCatalogue(compiler)
			}
			here = folder{catalogue, findings}
			folders[dir] = here
		}
		for _, p := range here.catalogue.All() {
			if !named && sameBase(p.File, name) && filepath.Dir(p.File) == filepath.Clean(dir) {
				return p, nil
			}
		}
		if p, ok := here.catalogue.Get(name); ok {
			return p, nil
		}
		var wrong strictyaml.Findings
		for _, f := range here.findings {
			if sameBase(f.File, name) {
				wrong = append(wrong, f)
			}
		}
		if len(wrong) > 0 || known == nil {
			return nil, wrong
		}
		p, _ := known.Get(name)
		return p, nil
	}
}

// sameBase reports whether the file name without its extension is name.
func sameBase(file, name string) bool {
	base := filepath.Base(file)
	return strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name)
}
