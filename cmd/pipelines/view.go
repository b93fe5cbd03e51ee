package pipelines

import (
	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
)

// starts returns a short description of what starts the pipeline, and whether it is paused.
func starts(v operations.Pipeline) string {
	if v.Paused != nil {
		return startedBy(v) + " (paused)"
	}
	return startedBy(v)
}

func startedBy(v operations.Pipeline) string {
	t := v.Trigger
	switch {
	case v.Mistakes > 0:
		return "broken: " + cli.Count(v.Mistakes, "error")
	case t == nil:
		return "an item"
	case t.Cron != "":
		return "cron " + t.Cron
	case t.Every != "":
		return "every " + t.Every
	case t.AtStart:
		return "at start"
	default:
		return "wake"
	}
}
