package doctor

import (
	"context"
	"fmt"
	"strings"
)

// pipelines checks the files of pipelines.
func (d *Doctor) pipelines(context.Context) []Result {
	counts, err := d.o.CheckPipelines()
	if err != nil {
		return fault(err.Error(), "create the folder, or name another one in pipelines.dir; `botwork init` writes the system pipelines")
	}
	found := counted(counts.Good, "pipeline") + " in " + d.o.Pipelines
	switch {
	case counts.Mistakes > 0:
		return fault(fmt.Sprintf("%s; %s, the first: %s", found, counted(counts.Mistakes, "error"), counts.First), pipelineAdvice(counts))
	case counts.Good == 0:
		return warning(found, "a worker without pipelines runs nothing: `botwork init` writes the system pipelines")
	case counts.Warnings > 0:
		return warning(fmt.Sprintf("%s; %s, the first: %s", found, counted(counts.Warnings, "warning"), counts.First),
			"`botwork pipelines check` lists all of them")
	}
	return ok(found + ", no errors")
}

// pipelineAdvice returns how the errors affect a worker.
func pipelineAdvice(counts PipelineCounts) string {
	const names = "`botwork pipelines check` lists all errors"
	switch {
	case counts.Refused:
		return "a worker does not start: " + names
	case len(counts.Broken) == 0:
		return "a worker starts without the file: " + names // for example the second file with the same name
	}
	return fmt.Sprintf("a worker starts without %s, whose items wait until the files are fixed: %s", strings.Join(counts.Broken, ", "), names)
}
