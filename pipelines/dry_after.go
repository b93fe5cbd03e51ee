package pipelines

import (
	"errors"
	"fmt"
	"slices"

	"botwork/handlers"
	"botwork/workqueue"
)

// called notes what is not known once the step's handler has been called.
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
	if maybe || s.OnError == OnErrorContinue { // the message of before may go on
		message = union(d.message, message)
	}
	d.message = message
	d.remember(s, nil, false, nil)
}

// fails notes a step that fails whatever its handler would do.
func (d *dryRun) fails(s *Step, told *DryStep, maybe bool, err error) {
	told.Action, told.Reason = DryFail, d.bounded(err.Error())
	d.failed(s, maybe, kindOf(err), err, told.Reason)
}

// failed notes what a failure makes of the run. known is what steps.<name>.error
// gives, "" when that is not known.
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
	if d.told.Step == "" { // the first one that is at fault
		d.told.Step, d.told.Kind, d.told.Error = s.Name, kind, d.text(s, err.Error())
		d.told.Outcome = DryFails
		if maybe || len(d.unless) > 0 {
			d.told.Outcome = DryMayFail
		}
	}
	d.end(s, maybe, "fails")
}

// end notes a step that ends the run, or may.
func (d *dryRun) end(s *Step, maybe bool, how string) {
	if maybe {
		d.unless = append(d.unless, s.Name)
		d.remember(s, nil, true, nil) // where the run goes on, it was skipped
		return
	}
	d.over = fmt.Sprintf("step %q (%s) %s", s.Name, s.Handler, how)
}

// ends notes a step whose handler does nothing but end the run.
func (d *dryRun) ends(s *Step, told *DryStep, maybe bool) {
	how := ending(s.Handler)
	if told.Reason == "" {
		told.Reason = "it " + how
	}
	if s.Handler == "Fail" {
		kind, err := failure(told)
		known := ""
		if len(told.Unknown) == 0 {
			known = d.bounded(err.Error())
		}
		d.mayFail(s, maybe, kind, err, known)
		return
	}
	certain := !maybe && len(d.unless) == 0
	switch {
	case certain && s.Handler == "Snooze":
		d.told.Outcome, d.told.Step = DrySnoozes, s.Name
	case certain && s.Handler == "Drop" && d.in.Run != nil:
		d.told.Outcome, d.told.Step = DryDrops, s.Name
	case s.Handler == "Drop" && d.in.Run == nil:
		how = ending("Break") // there is no item
	}
	d.end(s, maybe, how)
}

// mayFail is failed for a step that is meant to: where it is not sure that it
// runs, nothing is wrong with the pipeline.
func (d *dryRun) mayFail(s *Step, maybe bool, kind workqueue.ErrorKind, err error, known string) {
	if s.OnError == OnErrorFail && (maybe || len(d.unless) > 0) {
		d.end(s, maybe, "fails")
		return
	}
	d.failed(s, maybe, kind, err, known)
}

// failure is what a Fail step with these parameters would say.
func failure(told *DryStep) (workqueue.ErrorKind, error) {
	text, _ := told.Parameters["message"].(string)
	err := errors.New(text)
	switch told.Parameters["kind"] {
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
