package dashboard

import (
	"encoding/json"
	"regexp"
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
// server keeps the step that a run reached last, or the steps of its branches, its last log lines, and how long it was
// in each step that it has left. A step without a time before one that has one was skipped. Without times it is not
// known whether an earlier step with a condition was skipped, unless the step has logged something.
func stepsOf(steps []step, run *latestRun) []runStep {
	all := make([]runStep, len(steps))
	for i := range steps {
		all[i].step = steps[i]
	}
	if run == nil {
		return all
	}
	now := positionsOf(steps, run)
	logged := loggedSteps(run.Log)
	took, last := timesOf(steps, run)
	mayEnd := false // an earlier step can have ended the run
	for i := range all {
		s := &all[i]
		continued, ran := logged[s.Path]
		spent, timed := took[s.Path]
		if timed {
			s.Took = span(spent)
		}
		conditional, looped := blocksAround(steps, i)
		switch {
		case now == nil:
			s.Look, s.Note = stepUnsure, "The run has recorded no step of the present text."
		case now[i] == here:
			s.Look = stepHere[run.Outcome]
		case continued:
			s.Look = stepWentOn
		case ran || timed:
			s.Look = stepRan
		case looped >= 0 && now[looped] == here:
			s.Look, s.Note = stepUnsure, "It may have run for earlier elements of the loop."
		case now[i] == after:
			s.Look = stepUnreached
		case i < last:
			s.Look = stepSkipped
		case conditional:
			s.Look, s.Note = stepUnsure, "It ran, or its condition did not hold."
		case run.Outcome == "succeeded" && mayEnd:
			s.Look, s.Note = stepUnsure, "It ran, or the run had ended before."
		default:
			s.Look = stepRan
		}
		mayEnd = mayEnd || s.Handler == "Break" || s.OnError == "break"
	}
	return all
}

// position is where a step is in the order of a run.
type position int

const (
	before position = iota // the step that the run has reached is a later one
	here                   // the run has reached the step, or a step in it
	after                  // the run has not reached it
)

// positionsOf returns where each of the steps is; nil if the step that the run has reached is not among them.
func positionsOf(steps []step, run *latestRun) []position {
	positions := make([]position, len(steps))
	if run.Outcome == "succeeded" {
		return positions
	}
	at, found := strings.Split(run.Step, ", "), false
	latest := -1 // the latest step before i that the run is in, without the blocks around it
	for i := range steps {
		path := steps[i].Path
		switch {
		case slices.ContainsFunc(at, func(one string) bool { return workqueue.PathIn(one, path) }):
			positions[i], found = here, true
		case slices.Contains(at, path):
			positions[i], found, latest = here, true, i
		case latest >= 0 && !besides(steps, latest, i):
			positions[i] = after
		}
	}
	if !found {
		return nil
	}
	return positions
}

// besides reports whether a later step is in another branch than one before it.
func besides(steps []step, one, later int) bool {
	for i := one - 1; i >= 0 && !steps[later].within(&steps[one]); i-- {
		if steps[one].within(&steps[i]) && steps[later].within(&steps[i]) {
			return steps[i].Kind == "parallel"
		}
	}
	return false
}

// blocksAround reports whether a step, or a block around it, has a condition or is a loop, and returns the index of the
// outermost loop around it; -1: none.
func blocksAround(steps []step, at int) (conditional bool, loop int) {
	conditional, loop = steps[at].If != "", -1
	for i := at - 1; i >= 0; i-- {
		if !steps[at].within(&steps[i]) {
			continue
		}
		conditional = conditional || steps[i].If != "" || steps[i].Foreach != ""
		if steps[i].Foreach != "" {
			loop = i
		}
	}
	return conditional, loop
}

// timesOf returns how long a run was in each of the steps, and the index of the last one that has a time; -1: none.
func timesOf(steps []step, run *latestRun) (took map[string]time.Duration, last int) {
	took, last = map[string]time.Duration{}, -1
	for _, one := range workqueue.ParseStepTimes(workqueue.JSONText(run.Times)) {
		took[one.Step] += time.Duration(one.Ms) * time.Millisecond
		last = max(last, slices.IndexFunc(steps, func(s step) bool { return s.Path == one.Step }))
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

// loggedStep is the path of a step in a log line; that of an iteration has its number: "lines[3] / sign".
var (
	loggedStep = regexp.MustCompile(`\bstep=(?:"([^"]*)"|(\S+))`)
	iteration  = regexp.MustCompile(`\[\d+\]`)
)

// loggedSteps returns the steps that a log names, and whether the run went on after a failure of the step.
func loggedSteps(log string) map[string]bool {
	steps := map[string]bool{}
	for line := range strings.Lines(log) {
		for _, found := range loggedStep.FindAllStringSubmatch(line, -1) {
			path := iteration.ReplaceAllString(found[1]+found[2], "")
			steps[path] = steps[path] || strings.Contains(line, "continuing the pipeline")
		}
	}
	return steps
}
