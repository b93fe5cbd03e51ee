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

// compareOutcome compares the outcome and the output of the run.
func (r *runner) compareOutcome(c *comparison, result pipelines.Result) {
	e := r.expect
	got := verdicts[result.Verdict]
	details := got
	if result.Kind != "" {
		details += " (" + string(result.Kind) + ")"
	}
	if result.Error != "" {
		details += ": " + result.Error
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
		c.fail(at, "outcome", details, want)
		return // further differences in kind, error and step would not help
	}
	if e.kind != nil && string(result.Kind) != e.kind.Text {
		c.fail(e.kind, "kind", details, e.kind.Text)
	}
	if e.errorText != nil && !strings.Contains(result.Error, e.errorText.Text) {
		c.fail(e.errorText, "error", show(result.Error), "a text that contains "+show(e.errorText.Text))
	}
	if e.step != nil && result.Step != e.stepPath {
		c.fail(e.step, "step", show(result.Step), show(e.step.Text))
	}
	if e.after != nil && result.After != *e.after {
		c.fail(e.afterAt, "after", result.After.String(), e.after.String())
	}
	r.valueOf(c, e.output, e.exactOutput, plain(result.Value), "output")
}

// valueOf compares a value with the partial and the exact expectation.
func (r *runner) valueOf(c *comparison, partial, exact *strictyaml.Node, got any, what string) {
	if partial != nil {
		c.value(partial, got, false, what)
	}
	if exact != nil {
		c.value(exact, got, true, what)
	}
}

// compareCalls compares the calls of steps with stubs, in order.
func (r *runner) compareCalls(c *comparison) {
	if !r.expect.callsNode.HasValue() {
		return
	}
	var actual []call
	for _, one := range r.calls {
		if one.stubbed {
			actual = append(actual, one)
		}
	}
	next := 0
	for i, want := range r.expect.calls {
		for range want.times {
			what := fmt.Sprintf("calls[%d]", i)
			if next >= len(actual) {
				c.fail(want.at, what, "no further call; the calls were "+list(actual), "a call of step "+show(want.step))
				return
			}
			got := actual[next]
			next++
			if got.step != want.step {
				c.fail(want.at, what, "a call of step "+show(got.step)+"; the calls were "+list(actual), "a call of step "+show(want.step))
				return
			}
			r.valueOf(c, want.with, want.exactWith, got.with, what+".with")
			if want.input != nil {
				c.value(want.input, got.input, false, what+".input")
			}
		}
	}
	if next < len(actual) {
		c.fail(r.expect.callsNode, "calls", list(actual), list(actual[:next]))
	}
}

// list returns the names of called steps. Consecutive calls of a step are counted.
func list(calls []call) string {
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

// compareStep compares the result of one step.
func (r *runner) compareStep(c *comparison, want expectedStep, result pipelines.Result) {
	got := pipelines.StepResult{Status: "not reached"}
	for _, s := range result.Steps {
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
		c.fail(e, what+".error", show(got.Error), "a text that contains "+show(e.Text))
	}
	if want.raw.With != nil || want.raw.ExactWith != nil {
		r.valueOf(c, want.raw.With, want.raw.ExactWith, r.lastWith(want.name), what+".with")
	}
	r.valueOf(c, want.raw.Output, want.raw.ExactOutput, r.outputs[want.name], what+".output")
}

// lastWith returns the parameters of the step's last call, nil if there was none.
func (r *runner) lastWith(step string) any {
	for _, one := range slices.Backward(r.calls) {
		if one.step == step {
			return one.with
		}
	}
	return nil
}
