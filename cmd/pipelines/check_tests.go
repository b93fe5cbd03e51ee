package pipelines

import (
	"os"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
)

// checkTests adds the errors in test files to a report: those in the pipelines folder, or
// those among the paths. Workers start in spite of such errors, so the check of a project does
// not include them.
func (a *command) checkTests(r *checker.Report, paths []string) {
	if r.Catalogue == nil {
		return // the settings could not be read, so nothing else was checked
	}
	all, err := a.Checker()
	if err != nil {
		return // the report already has it
	}
	if len(paths) == 0 {
		paths = []string{cli.ShortPath(a.Config.Pipelines.Dir)}
	}
	known, _, err := pipelines.LoadDir(all.Compiler(), cli.ShortPath(a.Config.Pipelines.Dir))
	if err != nil {
		known = r.Catalogue
	}
	find := pipelinetest.NewFinder(all.Compiler(), known)
	seen := map[string]bool{}
	for _, path := range paths {
		files, err := testFilesBelow(path)
		if err != nil {
			continue // not a test file, or the report already has it
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			data, err := os.ReadFile(file)
			if err != nil {
				r.Findings = append(r.Findings, strictyaml.Finding{File: file, Code: pipelines.CodeUnreadableFile, Message: err.Error()})
				continue
			}
			_, wrong := pipelinetest.Parse(file, data, find)
			for _, f := range wrong {
				if f.File == file { // the findings of the pipeline are already included
					r.Findings = append(r.Findings, f)
				}
			}
		}
	}
	r.Findings.Sort()
}
