package pipelinetest

import (
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

var verdicts = map[workqueue.Verdict]string{
	workqueue.Succeeded: "succeeded", workqueue.Failed: "failed", workqueue.Snoozed: "snoozed",
	workqueue.Released: "released", workqueue.Dropped: "dropped",
}

// outcome compares how the run ended.
func (r *runner) outcome(c *comparison, came pipelines.Result) {
	e := r.expect
	got := verdicts[came.Verdict]
	ended := got
	if came.Kind != "" {
		ended += " (" + string(came.Kind) + ")"
	}
	if came.Error != "" {
		ended += ": " + came.Error
	}
	want, at := "succeeded", e.at
	switch {
	case e.outcome != nil:
		want, at = e.outcome.Text, e.outcome
	case e.after != nil:
		want = "snoozed"
	case e.kind != nil || e.errorText != nil:
		want = "failed"
	}
	if got != want {
		c.fail(at, "outcome", ended, want)
		return // kind, error and step tell nothing then
	}
	if e.kind != nil && string(came.Kind) != e.kind.Text {
		c.fail(e.kind, "kind", ended, e.kind.Text)
	}
	if e.errorText != nil && !strings.Contains(came.Error, e.errorText.Text) {
		c.fail(e.errorText, "error", show(came.Error), "a text with "+show(e.errorText.Text)+" in it")
	}
	if e.step != nil && came.Step != e.step.Text {
		c.fail(e.step, "step", show(came.Step), show(e.step.Text))
	}
	if e.after != nil && came.After != *e.after {
		c.fail(e.afterAt, "after", came.After.String(), e.after.String())
	}
	r.valueOf(c, e.output, e.exactOutput, plain(came.Value), "output")
}

// valueOf compares a value with what is expected in part, and exactly.
func (r *runner) valueOf(c *comparison, partial, exact *strictyaml.Node, got any, what string) {
	if partial != nil {
		c.value(partial, got, false, what)
	}
	if exact != nil {
		c.value(exact, got, true, what)
	}
}

// expectedCalls compares the calls of steps with stubs, in order.
func (r *runner) expectedCalls(c *comparison) {
	if !r.expect.callsGiven.HasValue() {
		return
	}
	var made []called
	for _, call := range r.calls {
		if call.stubbed {
			made = append(made, call)
		}
	}
	next := 0
	for i, want := range r.expect.calls {
		for range want.times {
			what := fmt.Sprintf("calls[%d]", i)
			if next >= len(made) {
				c.fail(want.at, what, "no further call; the calls were "+list(made), "a call of step "+show(want.step))
				return
			}
			got := made[next]
			next++
			if got.step != want.step {
				c.fail(want.at, what, "a call of step "+show(got.step)+"; the calls were "+list(made), "a call of step "+show(want.step))
				return
			}
			r.valueOf(c, want.with, want.exactWith, got.with, what+".with")
			if want.input != nil {
				c.value(want.input, got.input, false, what+".input")
			}
		}
	}
	if next < len(made) {
		c.fail(r.expect.callsGiven, "calls", list(made), list(made[:next]))
	}
}

// list names the steps of calls; the same one several times in turn once.
func list(calls []called) string {
	if len(calls) == 0 {
		return "none"
	}
	var names []string
	for i := 0; i < len(calls); {
		n := 1
		for i+n < len(calls) && calls[i+n].step == calls[i].step {
			n++
		}
		name := calls[i].step
		if n > 1 {
			name += fmt.Sprintf(" (%d times)", n)
		}
		names = append(names, name)
		i += n
	}
	return strings.Join(names, ", ")
}

// expectedStep compares what became of one step.
func (r *runner) expectedStep(c *comparison, want expectedStep, came pipelines.Result) {
	got := pipelines.StepResult{Status: "not reached"}
	for _, s := range came.Steps {
		if s.Name == want.name {
			got = s
		}
	}
	what := "steps." + want.name
	if want.status != nil && string(got.Status) != want.status.Text {
		text := string(got.Status)
		if got.Error != "" {
			text += ": " + got.Error
		}
		c.fail(want.status, what+".status", text, want.status.Text)
	}
	if n := want.raw.Attempts; n.HasValue() && fmt.Sprint(r.counts[want.name]) != n.Text {
		c.fail(n, what+".attempts", fmt.Sprint(r.counts[want.name]), n.Text)
	}
	if e := want.raw.Error; e.HasValue() && !strings.Contains(got.Error, e.Text) {
		c.fail(e, what+".error", show(got.Error), "a text with "+show(e.Text)+" in it")
	}
	if want.raw.With != nil || want.raw.ExactWith != nil {
		r.valueOf(c, want.raw.With, want.raw.ExactWith, r.lastWith(want.name), what+".with")
	}
	r.valueOf(c, want.raw.Output, want.raw.ExactOutput, r.outputs[want.name], what+".output")
}

// lastWith are the parameters of the step's last call, nil if there was none.
func (r *runner) lastWith(step string) any {
	for _, call := range slices.Backward(r.calls) {
		if call.step == step {
			return call.with
		}
	}
	return nil
}
