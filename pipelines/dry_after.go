package pipelines

import (
	"errors"
	"fmt"
	"slices"

	"botwork/handlers"
	"botwork/workqueue"
)

// called records what becomes unknown when the step's handler was called.
func (d *dryRun) called(s *Step, maybe bool) {
	fields := []string{fieldOutput}
	if maybe {
		fields = append(fields, fieldSkipped)
	}
	if s.OnError == OnErrorContinue {
		fields = append(fields, fieldError)
	}
	d.unknown[s.Name] = fields
	message := []string{s.Name}
	if maybe || s.OnError == OnErrorContinue { // the previous message may stay
		message = union(d.message, message)
	}
	d.message = message
	d.remember(s, nil, false, nil)
}

// fails records a step that fails before its handler is called.
func (d *dryRun) fails(s *Step, step *DryStep, maybe bool, err error) {
	step.Action, step.Reason = DryFail, d.bounded(err.Error())
	d.failed(s, maybe, kindOf(err), err, step.Reason)
}

// failed records the effect of a failure on the run. known is the value of
// steps.<name>.error, "" if that is unknown.
func (d *dryRun) failed(s *Step, maybe bool, kind workqueue.ErrorKind, err error, known string) {
	switch s.OnError {
	case OnErrorContinue:
		d.remember(s, nil, false, known)
		switch {
		case maybe:
			d.unknown[s.Name] = []string{fieldSkipped, fieldError}
		case known == "":
			d.unknown[s.Name] = []string{fieldError}
		}
		return
	case OnErrorBreak:
		d.end(s, maybe, "fails, which ends the run by its onError")
		return
	}
	if d.report.Step == "" { // the first step with an error
		d.report.Step, d.report.Kind, d.report.Error = d.path(s), kind, d.bounded(inStep(d.path(s), s, err).Error())
		d.report.Outcome = DryFails
		if maybe || len(d.unless) > 0 {
			d.report.Outcome = DryMayFail
		}
	}
	d.end(s, maybe, "fails")
}

// end records a step that ends the run, or may end it.
func (d *dryRun) end(s *Step, maybe bool, how string) {
	if maybe {
		d.unless = append(d.unless, s.Name)
		d.remember(s, nil, true, nil) // if the run continues, the step was skipped
		return
	}
	d.over = fmt.Sprintf("step %q (%s) %s", d.path(s), s.Kind(), how)
}

// ends records a step whose handler only ends the run.
func (d *dryRun) ends(s *Step, step *DryStep, maybe bool) {
	how := ending(s.Handler)
	if step.Reason == "" {
		step.Reason = "it " + how
	}
	if s.Handler == "Fail" {
		kind, err := failure(step)
		known := ""
		if len(step.Unknown) == 0 {
			known = d.bounded(err.Error())
		}
		d.mayFail(s, maybe, kind, err, known)
		return
	}
	certain := !maybe && len(d.unless) == 0
	switch {
	case certain && s.Handler == "Snooze":
		d.report.Outcome, d.report.Step = DrySnoozes, d.path(s)
	case certain && s.Handler == "Drop" && d.in.Run != nil:
		d.report.Outcome, d.report.Step = DryDrops, d.path(s)
	case s.Handler == "Drop" && d.in.Run == nil:
		how = ending("Break") // without an item
	}
	d.end(s, maybe, how)
}

// mayFail records a step that fails deliberately. If it may not run, the pipeline itself
// has no error.
func (d *dryRun) mayFail(s *Step, maybe bool, kind workqueue.ErrorKind, err error, known string) {
	if s.OnError == OnErrorFail && (maybe || len(d.unless) > 0) {
		d.end(s, maybe, "fails")
		return
	}
	d.failed(s, maybe, kind, err, known)
}

// failure returns the failure of a Fail step with these parameters.
func failure(step *DryStep) (workqueue.ErrorKind, error) {
	text, _ := step.Parameters["message"].(string)
	err := errors.New(text)
	switch step.Parameters["kind"] {
	case "business":
		err = handlers.Business(err)
	case "permanent":
		err = handlers.Permanent(err)
	}
	return kindOf(err), err
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
