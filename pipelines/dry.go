package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/expr-lang/expr/types"
)

// DryAction is what a run would do with a step.
type DryAction string

// The actions.
const (
	DryCall       DryAction = "call"        // its handler would be called
	DrySkip       DryAction = "skip"        // its `if` is false
	DryFail       DryAction = "fail"        // it would fail before its handler is called
	DryGiven      DryAction = "given"       // it is before the part that runs, and counts as done
	DryNotReached DryAction = "not reached" // the run would be over
)

// DryOutcome is how a run would end if every handler that it calls succeeded.
type DryOutcome string

// The outcomes.
const (
	DrySucceeds DryOutcome = "would succeed"
	DryMayFail  DryOutcome = "may fail" // a step has an error but may not be reached
	DryFails    DryOutcome = "would fail"
	DrySnoozes  DryOutcome = "would snooze"
	DryDrops    DryOutcome = "would drop its item"
)

// DryRun describes what a run would do. Secrets are shown as <secret>.
type DryRun struct {
	Outcome DryOutcome

	// Step is the step that would fail, snooze or drop the item; "" if none does, or if the
	// payload is invalid. Kind and Error describe its failure.
	Step  string
	Kind  workqueue.ErrorKind
	Error string

	// Resilience is the policy of the run's item, without its queue's policy.
	Resilience workqueue.Resilience

	// Steps are all steps of the pipeline, with those in blocks and in called pipelines; empty if
	// the payload is invalid.
	Steps []DryStep
}

// DryStep describes what a run would do with a step.
type DryStep struct {
	*Step

	// Path is the path of the step, with that of the step that calls its pipeline.
	Path   string
	Action DryAction

	// Summary describes the handler in one line.
	Summary string

	// Reason explains the action, "" if that needs no explanation; for a failure it is the
	// error.
	Reason string

	// Condition is the result of `if`: "true", "false" or "unknown"; "" without an `if`.
	Condition string

	// Unless are the steps that may end the run before this one, as far as their handlers
	// do not decide it.
	Unless []string

	// Parameters are those that the handler would get, as JSON. An unknown value is a text
	// such as "<unknown: load>". Unknown lists the paths of these values, such as
	// "with.rows", with the steps on which each depends.
	Parameters map[string]any
	Unknown    []DryUnknown

	// Backoff are the waits between the step's attempts.
	Backoff workqueue.Resilience
}

// DryUnknown is a parameter that is unknown until the steps have run.
type DryUnknown struct {
	Path  string   `json:"path"`
	Steps []string `json:"steps"`
}

// dryRun is the state of one dry run. The output of a called step is unknown, and so is
// everything that depends on it; such values carry the step's name.
type dryRun struct {
	*frame
	env types.Map

	// unknown are the fields of steps that are unknown; message are the steps on which the
	// message depends, empty if it is known.
	unknown map[string][]string
	message []string

	// elements are the unknown variables, with the steps on which each depends: elements of loops,
	// and the payload of a pipeline that a step calls.
	elements map[string][]string

	// maybe reports whether the block around the step may be skipped, or have no iteration.
	maybe bool

	// unless are the steps that may have ended the run; over is the reason why the run is
	// over, "" while it continues.
	unless []string
	over   string

	report *DryRun
}

// DryRun returns what a run would do, without running it: it calls no handler and reads
// only the run's input and the engine's variables.
func (e *Engine) DryRun(p *Pipeline, in RunInput) DryRun {
	r := newRun(e, p, in)
	d := &dryRun{frame: &r.top, unknown: map[string][]string{}, report: &DryRun{Outcome: DrySucceeds}}
	d.report.Resilience = p.Resilience.Or(workqueue.DefaultResilience())
	if in.Run != nil {
		d.report.Resilience, _ = in.Run.Policy() // an unreadable policy of the item is ignored
	}
	payload, err := p.payload(d.in.Payload)
	if err != nil {
		d.badPayload(err)
		d.report.Outcome, d.report.Kind, d.report.Error = DryFails, d.result.Kind, d.result.Error
		return *d.report
	}
	d.single(payload)
	d.frame.message = payload
	if p.Batch != nil {
		d.key = p.Batch.keyOf(context.Background(), payload)
	}
	if err := d.prepare(); err != nil {
		d.report.Outcome, d.report.Kind, d.report.Error = DryFails, kindOf(err), d.bounded(err.Error())
		return *d.report
	}
	from, until := d.skipToPart(in.Part)
	for i, s := range p.Steps {
		switch {
		case i < from:
			// skipToPart has added it
		case i > until:
			d.skip(s, DryNotReached, fmt.Sprintf("the run ends after step %q", in.Part.Until))
		default:
			d.step(s)
		}
	}
	d.afterwards()
	return *d.report
}

// prepare makes the variables of the frame's pipeline. Its error is that of `vars`.
func (d *dryRun) prepare() error {
	names := names{system: d.p.Trigger != nil}
	for s := range d.p.Each() {
		names.steps = append(names.steps, s.Name)
	}
	for _, v := range d.p.Vars {
		names.vars = append(names.vars, v.Name)
	}
	names.later = names.vars
	d.vars, d.env = d.variables(), names.env()
	if unknown := d.elements[varPayload]; unknown != nil && len(d.p.Vars) > 0 {
		d.elements[varVars], d.vars[varVars] = unknown, nil
		return nil
	}
	return d.defineVars(context.Background())
}

// skip adds a step that does not run, and the steps in it.
func (d *dryRun) skip(s *Step, action DryAction, reason string) {
	d.add(d.describe(s, action, reason))
	if s.Block == nil {
		return
	}
	s.Block.each(func(inner *Step) bool {
		d.add(d.describe(inner, action, ""))
		return true
	})
}

// add adds a step to the report and returns its place there.
func (d *dryRun) add(step DryStep) int {
	d.report.Steps = append(d.report.Steps, step)
	return len(d.report.Steps) - 1
}

// skipToPart marks the steps before the part as done and returns the bounds of the part.
func (d *dryRun) skipToPart(part *Part) (from, until int) {
	from, until = d.p.bounds(part)
	if from == 0 {
		return from, until
	}
	source := d.p.messageBefore(from)
	for _, s := range d.p.Steps[:from] {
		output, provided := part.Outputs[s.Name]
		reason := "its output was provided"
		if !provided {
			reason = "it counts as done; its output was not provided"
			d.unknown[s.Name] = []string{fieldOutput}
		}
		if s == source {
			d.frame.message = output
			if !provided {
				d.message = []string{s.Name}
			}
		}
		d.remember(s, output, false, nil)
		d.skip(s, DryGiven, reason)
	}
	return from, until
}

func (d *dryRun) describe(s *Step, action DryAction, reason string) DryStep {
	return DryStep{Step: s, Path: d.path(s), Action: action, Summary: s.summary(), Reason: reason, Backoff: s.backoff}
}

// step adds what the run would do with one step.
func (d *dryRun) step(s *Step) {
	if d.over != "" {
		d.skip(s, DryNotReached, d.over)
		return
	}
	d.machine.Start(context.Background())
	step := d.describe(s, DryCall, "")
	step.Unless = slices.Clone(d.unless)
	maybe := d.maybe
	if !s.perElement {
		unknown, err := d.condition(s, &step)
		maybe = maybe || unknown
		if err != nil {
			d.fails(s, &step, maybe, err)
			d.add(step)
			return
		}
	}
	switch {
	case step.Action == DrySkip:
		d.remember(s, nil, true, nil)
		d.skip(s, DrySkip, step.Reason)
		d.report.Steps[len(d.report.Steps)-1-s.inner()] = step
	case s.Foreach != nil:
		d.loop(s, step, maybe)
	default:
		d.body(s, step, maybe)
	}
}

// body adds a step that runs.
func (d *dryRun) body(s *Step, step DryStep, maybe bool) {
	switch {
	case s.Block != nil:
		d.add(step)
		d.block(s, maybe)
		return
	case s.Uses != "":
		d.uses(s, step, maybe)
		return
	}
	if err := d.parameters(s, &step); err != nil {
		d.fails(s, &step, maybe, err)
	} else if ending(s.Handler) != "" {
		d.ends(s, &step, maybe)
	} else {
		d.called(s, maybe)
	}
	d.add(step)
}

// condition returns maybe if the step may or may not run, because its `if` depends on
// unknown values.
func (d *dryRun) condition(s *Step, step *DryStep) (maybe bool, err error) {
	if s.condition == nil {
		return false, nil
	}
	v, unknown, err := d.eval(s.condition)
	wanted, isBool := v.(bool)
	switch {
	case len(unknown) > 0:
		step.Condition, step.Reason = "unknown", "its condition depends on "+stepList(unknown)
		return true, nil
	case err == nil && !isBool:
		err = s.condition.fail(0, fmt.Sprintf("the condition evaluates to %s, want true or false", describe(v)))
	}
	if err != nil {
		if fault, ok := errors.AsType[*ExpressionError](err); ok {
			fault.Key = "if"
		}
		return false, handlers.Permanent(err)
	}
	step.Condition = fmt.Sprint(wanted)
	if !wanted {
		step.Action, step.Reason = DrySkip, "its condition is false"
	}
	return false, nil
}

func stepList(steps []string) string {
	quoted := make([]string, len(steps))
	for i, s := range steps {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	if len(steps) == 1 {
		return "the result of step " + quoted[0]
	}
	return "the results of the steps " + strings.Join(quoted, ", ")
}
