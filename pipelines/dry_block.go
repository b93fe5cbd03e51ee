package pipelines

import (
	"fmt"
	"maps"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/expr-lang/expr/types"
)

// summary describes in one line what the step runs.
func (s *Step) summary() string {
	switch {
	case s.Block != nil && s.Block.Parallel:
		return fmt.Sprintf("runs its %d steps side by side", len(s.Block.Steps))
	case s.Block != nil && len(s.Block.Steps) == 1:
		return "runs its step"
	case s.Block != nil:
		return fmt.Sprintf("runs its %d steps", len(s.Block.Steps))
	case s.Uses != "":
		return "runs the pipeline " + s.Uses
	}
	return s.kind.Summary
}

// inner returns the number of steps in the step, at any depth.
func (s *Step) inner() (n int) {
	if s.Block != nil {
		s.Block.each(func(*Step) bool { n++; return true })
	}
	return n
}

// block adds the steps of a block. What they give is known outside only if they run for sure.
func (d *dryRun) block(s *Step, maybe bool) {
	before, message := d.frame.message, d.message
	outer := d.maybe
	d.maybe = maybe || s.OnError != OnErrorFail
	for _, inner := range s.Block.Steps {
		if s.Block.Parallel {
			d.setMessage(before, message)
		}
		d.step(inner)
	}
	d.maybe = outer
	d.setMessage(before, message)
	d.called(s, maybe)
}

func (d *dryRun) setMessage(message any, unknown []string) {
	d.frame.message, d.message = message, unknown
	d.vars[varInput] = message
}

// loop adds a loop: the first iteration represents all.
func (d *dryRun) loop(s *Step, step DryStep, maybe bool) {
	r := &rendering{dryRun: d, unknown: map[string][]string{}, step: &step}
	value, _, err := r.render(s.Foreach.list, nil)
	unknown := r.unknown[pathKey(nil)]
	for _, of := range r.unknown {
		unknown = union(unknown, of)
	}
	step.Unknown = nil
	var elements []any
	if err == nil && len(unknown) == 0 {
		if elements, err = elementsOf(value); err != nil {
			err = fmt.Errorf("foreach: %w", err)
		}
	}
	if err != nil {
		d.fails(s, &step, maybe, handlers.Permanent(err))
		d.add(step)
		return
	}
	if len(unknown) == 0 && len(elements) == 0 {
		step.Reason = "the list is empty"
		d.add(step)
		if s.Foreach.Collect {
			d.setMessage([]any{}, nil)
		}
		d.remember(s, []any{}, false, nil)
		if s.Block != nil {
			s.Block.each(func(inner *Step) bool {
				d.add(d.describe(inner, DryNotReached, "the list is empty"))
				return true
			})
		}
		return
	}
	d.iteration(s, step, elements, unknown, maybe)
}

// iteration adds the first iteration of a loop. The elements are nil if they are unknown.
func (d *dryRun) iteration(s *Step, step DryStep, elements []any, unknown []string, maybe bool) {
	vars, env, known, message, before := maps.Clone(d.vars), maps.Clone(d.env), maps.Clone(d.elements), d.message, d.frame.message
	var first any
	step.Reason = "for each element of the list, which depends on " + stepList(unknown)
	if len(unknown) == 0 {
		first = elements[0]
		step.Reason = fmt.Sprintf("for each of %d elements; shown for the first", len(elements))
		if len(elements) == 1 {
			step.Reason = "for the only element"
		}
	}
	if d.elements == nil {
		d.elements = map[string][]string{}
	}
	for _, name := range []string{varEach, s.Foreach.As} {
		if name == "" {
			continue
		}
		d.vars[name], d.env[name] = first, types.Any
		delete(d.elements, name)
		if len(unknown) > 0 {
			d.elements[name] = unknown
		}
	}
	d.vars[varEachIndex], d.env[varEachIndex] = 0, types.Int
	d.setMessage(first, unknown)
	reason := step.Reason
	inner := maybe || len(unknown) > 0
	if s.perElement {
		maybeOne, err := d.condition(s, &step)
		step.Reason = reason
		if err != nil {
			d.fails(s, &step, inner, err)
			d.add(step)
		} else {
			d.body(s, step, inner || maybeOne || step.Action == DrySkip)
		}
	} else {
		d.body(s, step, inner)
	}
	d.vars, d.env, d.elements = vars, env, known
	d.setMessage(before, message)
	if d.over == "" {
		d.called(s, maybe)
	}
}

// uses adds a step that calls a pipeline, and the steps of that pipeline.
func (d *dryRun) uses(s *Step, step DryStep, maybe bool) {
	p := d.p.callees[s.Uses]
	if p == nil {
		d.fails(s, &step, maybe, handlers.Permanent(&UnknownPipelineError{unlinked(s.Uses)}))
		d.add(step)
		return
	}
	r := &rendering{dryRun: d, unknown: map[string][]string{}, step: &step}
	var payload, shown any = map[string]any{}, map[string]any{}
	var err error
	if s.with != nil {
		payload, shown, err = r.render(s.with, nil)
	}
	var unknown []string
	for _, of := range r.unknown {
		unknown = union(unknown, of)
	}
	step.Parameters, _ = PlainValue(shown).(map[string]any)
	switch {
	case err != nil:
		err = handlers.Permanent(err)
	case len(unknown) == 0:
		if err = p.checkValue(payload); err != nil {
			err = handlers.Business(err)
		}
	}
	if err != nil {
		d.fails(s, &step, maybe, err)
		d.add(step)
		return
	}
	d.add(step)
	inner := &dryRun{
		frame:   &frame{run: d.run, p: p, payload: payload, message: payload, prefix: d.path(s) + workqueue.PathSeparator},
		unknown: map[string][]string{}, report: d.report, unless: d.unless, maybe: maybe || s.OnError != OnErrorFail, message: unknown,
	}
	if len(unknown) > 0 {
		inner.elements = map[string][]string{varPayload: unknown}
	}
	if err := inner.prepare(); err != nil {
		d.fails(s, &step, maybe, err)
		d.report.Steps[len(d.report.Steps)-1] = step
		return
	}
	for _, one := range p.Steps {
		inner.step(one)
	}
	inner.afterwards()
	if d.report.Outcome != DrySucceeds && d.report.Outcome != DryMayFail && inner.over != "" {
		d.over = inner.over
	}
	d.called(s, maybe)
}

// afterwards adds the steps that run when it is decided how the pipeline has ended.
func (d *dryRun) afterwards() {
	over, report := d.over, *d.report
	for _, b := range d.p.lists()[1:] {
		d.over, d.unless, d.maybe = "", nil, true
		d.describeEnd(workqueue.Outcome{Verdict: workqueue.Succeeded}, time.Now())
		failed := report.Outcome == DryFails
		switch {
		case b.key == keyOnSuccess && failed:
			d.over = "the run would fail"
		case b.key == keyOnFailure && !failed:
			d.over = "it runs only after a failure"
		case failed:
			d.describeEnd(workqueue.Outcome{Verdict: workqueue.Failed, Error: report.Error, Kind: report.Kind, Step: report.Step}, time.Now())
		}
		d.env[varError], d.env[varAttempt] = types.Any, types.Int
		for _, s := range b.Steps {
			d.step(s)
		}
	}
	d.over, d.report.Outcome, d.report.Step, d.report.Kind, d.report.Error = over, report.Outcome, report.Step, report.Kind, report.Error
}
