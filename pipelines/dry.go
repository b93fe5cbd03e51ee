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

	// Steps are all steps of the pipeline; empty if the payload is invalid.
	Steps []DryStep
}

// DryStep describes what a run would do with a step.
type DryStep struct {
	*Step

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
	*run
	env types.Map

	// unknown are the fields of steps that are unknown; message are the steps on which the
	// message depends, empty if it is known.
	unknown map[string][]string
	message []string

	// unless are the steps that may have ended the run; over is the reason why the run is
	// over, "" while it continues.
	unless []string
	over   string

	report DryRun
}

// DryRun returns what a run would do, without running it: it calls no handler and reads
// only the run's input and the engine's variables.
func (e *Engine) DryRun(p *Pipeline, in RunInput) DryRun {
	d := &dryRun{run: newRun(e, p, in), unknown: map[string][]string{}, report: DryRun{Outcome: DrySucceeds}}
	d.report.Resilience = p.Resilience.Or(workqueue.DefaultResilience())
	if in.Run != nil {
		d.report.Resilience, _ = in.Run.Policy() // an unreadable policy of the item is ignored
	}
	payload, err := p.payload(d.in.Payload)
	if err != nil {
		d.badPayload(err)
		d.report.Outcome, d.report.Kind, d.report.Error = DryFails, d.result.Kind, d.result.Error
		return d.report
	}
	d.alone(payload)
	d.run.message = payload
	if p.Batch != nil {
		d.key = p.Batch.keyOf(context.Background(), payload)
	}
	d.vars = d.variables()
	names := names{system: p.Trigger != nil}
	for _, s := range p.Steps {
		names.steps = append(names.steps, s.Name)
	}
	d.env = names.env()
	from, until := d.skipToPart(in.Part)
	for i, s := range p.Steps {
		switch {
		case i < from:
			// skipToPart has added it
		case i > until:
			d.report.Steps = append(d.report.Steps, d.describe(s, DryNotReached, fmt.Sprintf("the run ends after step %q", in.Part.Until)))
		default:
			d.report.Steps = append(d.report.Steps, d.step(s))
		}
	}
	return d.report
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
			d.run.message = output
			if !provided {
				d.message = []string{s.Name}
			}
		}
		d.remember(s, output, false, nil)
		d.report.Steps = append(d.report.Steps, d.describe(s, DryGiven, reason))
	}
	return from, until
}

func (d *dryRun) describe(s *Step, action DryAction, reason string) DryStep {
	return DryStep{Step: s, Action: action, Summary: s.kind.Summary, Reason: reason, Backoff: s.backoff}
}

// step returns what the run would do with one step.
func (d *dryRun) step(s *Step) DryStep {
	if d.over != "" {
		return d.describe(s, DryNotReached, d.over)
	}
	d.machine.Start(context.Background())
	step := d.describe(s, DryCall, "")
	step.Unless = slices.Clone(d.unless)
	maybe, err := d.condition(s, &step)
	switch {
	case err != nil:
		d.fails(s, &step, false, err)
		return step
	case step.Action == DrySkip:
		d.remember(s, nil, true, nil)
		return step
	}
	if err := d.parameters(s, &step); err != nil {
		d.fails(s, &step, maybe, err)
		return step
	}
	if ending(s.Handler) != "" {
		d.ends(s, &step, maybe)
		return step
	}
	d.called(s, maybe)
	return step
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
