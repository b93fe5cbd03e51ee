package pipelines

import (
	"os"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
)

// checkTests adds the mistakes in files of tests to a report: those of the
// pipelines folder, or those among the paths. They keep no worker from starting,
// and so are no part of the check of a project.
func (a *command) checkTests(r *checker.Report, paths []string) {
	if r.Catalogue == nil {
		return // the settings could not be read: nothing else was looked at
	}
	all, err := a.Checker()
	if err != nil {
		return // the report has shown it
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
			continue // it is no file of tests, or the report has shown it
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
				if f.File == file { // the pipeline's own are there already
					r.Findings = append(r.Findings, f)
				}
			}
		}
	}
	r.Findings.Sort()
}
