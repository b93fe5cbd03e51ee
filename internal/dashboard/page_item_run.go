package dashboard

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// runStep is a step of an item's pipeline, and what the latest run did with it.
type runStep struct {
	step
	Look look
	Note string // why it is not known
	Took string // how long the run was in it; "": not recorded
}

// The marks of steps.
var (
	stepRan       = look{"succeeded", "check", "Ran"}
	stepWentOn    = look{"failed", "failures", "Failed, the run went on"}
	stepUnsure    = look{"scheduled", "dot", "Not recorded"}
	stepUnreached = look{"scheduled", "stop", "Not reached"}
	stepSkipped   = look{"scheduled", "dot", "Skipped"}
	stepHere      = map[string]look{
		"running": {"running", "play", "Running"}, "failed": {"failed", "failures", "Failed"}, "timeout": {"failed", "hourglass", "Timed out"},
		"snoozed": {"scheduled", "clock", "Postponed the item"}, "released": {"retry", "retry", "Interrupted"}, "rescued": {"retry", "retry", "Interrupted"},
	}
)

// latestRun is the run that the drawing of a pipeline shows.
type latestRun struct {
	Number  int
	Outcome string // running, succeeded, or the outcome of an attempt
	Step    string // where it is or has ended; "": it has reached the end, or that is not recorded
	Log     string
	Hash    string
	Times   string // of its steps, as JSON; "": not recorded
}

// latestOf returns the latest run of an item; nil if it has not run.
func latestOf(it *item, attempts []attempt) *latestRun {
	if n := len(attempts); n > 0 && (attempts[n-1].Fence == it.Fence || it.StartedAt == nil) {
		a := &attempts[n-1]
		if a.StartedAt == nil {
			return nil
		}
		return &latestRun{a.Number, a.Outcome, deref(a.Step), deref(a.LogTail), deref(a.Hash), string(a.StepTimes)}
	}
	switch it.Status {
	case "Running":
		return &latestRun{it.RetryCount + 1, "running", deref(it.Step), deref(it.LogTail), deref(it.PipelineHash), string(it.StepTimes)}
	case "Succeeded":
		return &latestRun{it.RetryCount + 1, "succeeded", "", deref(it.LogTail), deref(it.PipelineHash), string(it.StepTimes)}
	}
	return nil
}

// stepsOf returns the steps of a pipeline with what a run did with each of them; nil run: none. The
// server keeps the step that a run reached last, its last log lines, and how long it was in each step that it
// has left. A step without a time before one that has one was skipped. Without times it is not known whether an
// earlier step with a condition was skipped, unless the step has logged something.
func stepsOf(steps []step, run *latestRun) []runStep {
	all := make([]runStep, len(steps))
	for i := range steps {
		all[i].step = steps[i]
	}
	if run == nil {
		return all
	}
	here := len(steps)
	if run.Outcome != "succeeded" {
		here = slices.IndexFunc(steps, func(s step) bool { return s.Name == run.Step })
	}
	logged := loggedSteps(run.Log)
	took, last := timesOf(steps, run)
	mayEnd := false // an earlier step can have ended the run
	for i := range all {
		s := &all[i]
		continued, ran := logged[s.Name]
		spent, timed := took[s.Name]
		if timed {
			s.Took = span(spent)
		}
		switch {
		case here < 0:
			s.Look, s.Note = stepUnsure, "The run has recorded no step of the present text."
		case i == here:
			s.Look = stepHere[run.Outcome]
		case i > here:
			s.Look = stepUnreached
		case continued:
			s.Look = stepWentOn
		case ran || timed:
			s.Look = stepRan
		case i < last:
			s.Look = stepSkipped
		case s.If != "":
			s.Look, s.Note = stepUnsure, "It ran, or its condition did not hold."
		case here == len(steps) && mayEnd:
			s.Look, s.Note = stepUnsure, "It ran, or the run had ended before."
		default:
			s.Look = stepRan
		}
		mayEnd = mayEnd || s.Handler == "Break" || s.OnError == "break"
	}
	return all
}

// timesOf returns how long a run was in each of the steps, and the index of the last one that has a time; -1: none.
func timesOf(steps []step, run *latestRun) (took map[string]time.Duration, last int) {
	took, last = map[string]time.Duration{}, -1
	for _, one := range workqueue.ParseStepTimes(workqueue.JSONText(run.Times)) {
		took[one.Step] += time.Duration(one.Ms) * time.Millisecond
		last = max(last, slices.IndexFunc(steps, func(s step) bool { return s.Name == one.Step }))
	}
	return took, last
}

// stepsText writes how long a run was in each of its steps: "load 1.2 s, save 5 ms"; "" if that was not recorded.
func stepsText(times json.RawMessage) string {
	all := workqueue.ParseStepTimes(workqueue.JSONText(times))
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = s.Step + " " + span(time.Duration(s.Ms)*time.Millisecond)
	}
	return strings.Join(texts, ", ")
}

// loggedSteps returns the steps that a log names, and whether the run went on after a failure of the step.
func loggedSteps(log string) map[string]bool {
	steps := map[string]bool{}
	for line := range strings.Lines(log) {
		for word := range strings.FieldsSeq(line) {
			if name, ok := strings.CutPrefix(word, "step="); ok {
				name = strings.Trim(name, `"`)
				steps[name] = steps[name] || strings.Contains(line, "continuing the pipeline")
			}
		}
	}
	return steps
}
