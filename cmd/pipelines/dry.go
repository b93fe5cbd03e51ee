package pipelines

import (
	"fmt"
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
)

// dryRun returns what a run would do.
func (a *command) dryRun(p *pipelines.Pipeline, payload workqueue.JSONText, part *pipelines.Part) operations.DryRun {
	return operations.RunDry(projectdir.DryEngine(a.App), p, payload, part)
}

// drySheet prints a dry run as text.
func (a *command) drySheet(v operations.DryRun) error {
	for i, s := range v.Steps {
		fmt.Fprintf(a.Stdout, "%d. %s: %s, %s\n", i+1, s.Path, s.Kind, s.Summary)
		fmt.Fprintf(a.Stdout, "   %s\n", does(s))
		if s.If != "" && s.Gives != "" {
			fmt.Fprintf(a.Stdout, "   if: %s -> %s\n", strings.Join(strings.Fields(s.If), " "), s.Gives)
		}
		if force := inForce(s); force != "" {
			fmt.Fprintf(a.Stdout, "   %s\n", force)
		}
		if len(s.With) > 0 {
			text, err := strictyaml.Marshal(s.With)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "   with:\n     %s\n", strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n     "))
		}
	}
	if len(v.Steps) > 0 {
		fmt.Fprintln(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "%s %s", v.Pipeline, v.Outcome)
	if v.ErrorKind != "" {
		fmt.Fprintf(a.Stdout, " (%s)", v.ErrorKind)
	}
	switch {
	case v.Error != "":
		fmt.Fprintf(a.Stdout, ": %s", v.Error)
	case v.Step != "":
		fmt.Fprintf(a.Stdout, ", in step %q", v.Step)
	default:
		fmt.Fprint(a.Stdout, ", if each handler that it calls succeeds")
	}
	fmt.Fprintln(a.Stdout)
	if r := v.Resilience; r != nil {
		fmt.Fprintf(a.Stdout, "as an item: %s in all", cli.Count(r.Limit, "attempt"))
		if r.Timeout > 0 {
			fmt.Fprintf(a.Stdout, ", %v for each", r.Timeout)
		}
		fmt.Fprintln(a.Stdout, "; its queue may override this")
	}
	return nil
}

// does returns one line that describes what would happen in the step.
func does(s operations.DryStep) string {
	text := map[string]string{
		"call": "would be called", "skip": "would be skipped", "fail": "would fail", "given": "counts as done", "not reached": "would not be reached",
	}[s.Action]
	if s.Gives == "unknown" {
		text = "may" + strings.TrimPrefix(text, "would")
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if len(s.Unless) > 0 {
		text += "; unless the run has ended in " + strings.Join(s.Unless, " or ")
	}
	return text
}

// inForce describes the step's timeout, retry and onError; "" if all are the default.
func inForce(s operations.DryStep) string {
	var parts []string
	if s.Timeout != "" {
		parts = append(parts, "timeout "+s.Timeout)
	}
	if r := s.Retry; r != nil {
		parts = append(parts, fmt.Sprintf("%d attempts, the second after %s, each wait %v times the previous one and at most %s, ±%v %%",
			r.Attempts, r.Delay, r.Factor, r.MaxDelay, 100*r.Jitter))
	}
	if s.OnError != string(pipelines.OnErrorFail) {
		parts = append(parts, "onError "+s.OnError)
	}
	return strings.Join(parts, "; ")
}
