package pipelinetest

import (
	"path/filepath"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// folder is a folder of pipelines as it was read.
type folder struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings
}

// Beside returns a Finder that looks for pipelines in the folder of the file of
// tests, then in known, which may be nil, as a project's own folder. A file of
// tests that names no pipeline means the file beside it, whatever that calls
// itself: hello_test.yaml means hello.yaml. Each folder is read once.
func Beside(compiler *pipelines.Compiler, known *pipelines.Catalogue) Finder {
	folders := map[string]folder{}
	return func(testFile, name string, named bool) (*pipelines.Pipeline, strictyaml.Findings) {
		dir := filepath.Dir(testFile)
		here, ok := folders[dir]
		if !ok {
			catalogue, findings, err := pipelines.LoadDir(compiler, dir)
			if err != nil { // the file was there a moment ago
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

// sameBase tells whether the file's name without its ending is name.
func sameBase(file, name string) bool {
	base := filepath.Base(file)
	return strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name)
}
