package doctor

import (
	"context"
	"fmt"
)

// pipelines checks the pipelines' files.
func (d *Doctor) pipelines(context.Context) []Result {
	counts, err := d.o.CheckPipelines()
	if err != nil {
		return fault(err.Error(), "make the folder, or name another in pipelines.dir; `botwork init` writes the system pipelines")
	}
	found := counted(counts.Good, "pipeline") + " in " + d.o.Pipelines
	switch {
	case counts.Mistakes > 0:
		return fault(fmt.Sprintf("%s; %s, the first: %s", found, counted(counts.Mistakes, "mistake"), counts.First),
			"a worker does not start like this: `botwork pipelines check` names every mistake")
	case counts.Good == 0:
		return warning(found, "a worker without pipelines runs nothing: `botwork init` writes the system pipelines")
	case counts.Warnings > 0:
		return warning(fmt.Sprintf("%s; %s, the first: %s", found, counted(counts.Warnings, "warning"), counts.First),
			"`botwork pipelines check` names all of them")
	}
	return ok(found + ", no mistakes")
}
