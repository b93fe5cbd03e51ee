package cmd

import (
	"fmt"
	"slices"

	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/reload"
	"botwork/pipelines"
)

// noSystemPipelineError reports that a worker would run nothing, because of mistakes.
type noSystemPipelineError struct {
	dir      string
	mistakes strictyaml.Findings
}

func (e *noSystemPipelineError) Error() string {
	return fmt.Sprintf("no system pipeline of %s can be used: none without mistakes has a trigger, so that a worker would run nothing", e.dir)
}

// Unwrap returns the mistakes.
func (e *noSystemPipelineError) Unwrap() error { return e.mistakes }

// startWith checks the project and keeps what a worker starts with. Mistakes in the
// settings are an error, and so are those in pipelines when strict is set or no system
// pipeline is left; else the files with mistakes are left out.
func (p *programme) startWith(files []pipelines.File, dir string, strict bool) error {
	report := p.judge.Project(files)
	mistakes := report.Mistakes()
	if strict || settingsHaveMistakes(mistakes, files) {
		if err := mistakes.Err(); err != nil {
			return err
		}
	}
	p.queues, p.tasks, p.findings = report.Queues, report.Tasks, append(report.Findings, p.judge.Exposed(files)...)
	p.catalogue, _ = reload.Start(p.judgeFiles, files)
	if len(mistakes) > 0 && !startsByItself(p.catalogue) {
		return &noSystemPipelineError{dir, mistakes}
	}
	return nil
}

// judgeFiles is the reload.Judge of the project.
func (p *programme) judgeFiles(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	report := p.judge.Project(files)
	return report.Catalogue, report.Findings
}

// settingsHaveMistakes reports whether a mistake is outside of the pipelines' files.
func settingsHaveMistakes(mistakes strictyaml.Findings, files []pipelines.File) bool {
	return slices.ContainsFunc(mistakes, func(f strictyaml.Finding) bool {
		return !slices.ContainsFunc(files, func(file pipelines.File) bool { return file.Path == f.File })
	})
}

// logFindings logs what was found at the start.
func (p *programme) logFindings() {
	for _, f := range p.findings {
		if f.Severity == strictyaml.Warning {
			p.log.Warn().Stringer("finding", f).Msg("suspicious setting")
			continue
		}
		p.log.Warn().Stringer("finding", f).Msg("invalid pipeline file; starting without it")
	}
	if names := p.catalogue.BrokenNames(); len(names) > 0 {
		p.log.Warn().Strs("pipelines", names).Msg("broken pipelines do not run; their items wait until the files are fixed")
	}
}

// brokenSystem are the mistakes of files whose pipelines have a trigger, or may have
// one.
func brokenSystem(catalogue *pipelines.Catalogue) strictyaml.Findings {
	var findings strictyaml.Findings
	for _, b := range catalogue.Broken() {
		if b.Trigger {
			findings = append(findings, b.Findings...)
		}
	}
	return findings
}

// usable are the pipelines of files that a worker would start with. The findings are
// the mistakes of the others, which the catalogue knows as broken.
func usable(c *checker.Checker, files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	catalogue, findings := reload.Start(c.Folder, files)
	return catalogue, findings.Of(strictyaml.Error)
}
