package run

import (
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/strictyaml"
	"botwork/internal/reload"
	"botwork/pipelines"
)

// startWith checks the project and returns the files that a worker starts with. Errors in the
// settings are an error, and so are errors in pipelines if strict is set or no system pipeline
// is left; otherwise the files with errors are left out.
func (p *programme) startWith(files []pipelines.File, dir string, strict bool) error {
	report := p.judge.Project(files)
	mistakes := report.Mistakes()
	if strict || projectdir.SettingsHaveMistakes(mistakes, files) {
		if err := mistakes.Err(); err != nil {
			return err
		}
	}
	p.queues, p.tasks, p.hooks, p.findings = report.Queues, report.Tasks, report.Hooks, append(report.Findings, p.judge.Exposed(files)...)
	p.notifications = report.Notifications
	p.catalogue, _ = reload.Start(p.judgeFiles, files)
	if len(mistakes) > 0 && !projectdir.HasTriggers(p.catalogue) {
		return &cli.NoSystemPipelineError{Dir: dir, Mistakes: mistakes}
	}
	return nil
}

// judgeFiles returns the reload.CheckFunc of the project.
func (p *programme) judgeFiles(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	report := p.judge.Project(files)
	return report.Catalogue, report.Findings
}

// logFindings logs the findings at the start.
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

// brokenSystem returns the errors in files whose pipelines have a trigger, or may have one.
func brokenSystem(catalogue *pipelines.Catalogue) strictyaml.Findings {
	var findings strictyaml.Findings
	for _, b := range catalogue.Broken() {
		if b.Trigger {
			findings = append(findings, b.Findings...)
		}
	}
	return findings
}
