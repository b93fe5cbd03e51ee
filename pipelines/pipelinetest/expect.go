package pipelinetest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// expectation contains the expected results of a run.
type expectation struct {
	at *strictyaml.Node // `expect`, or the case without it

	outcome, kind, errorText, step *strictyaml.Node
	stepPath                       string
	after                          *time.Duration
	afterAt                        *strictyaml.Node
	output, exactOutput            *strictyaml.Node
	callsNode                      *strictyaml.Node
	calls                          []expectedCall
	steps                          []expectedStep
}

type rawExpect struct {
	Outcome     *strictyaml.Node            `yaml:"outcome"`
	Kind        *strictyaml.Node            `yaml:"kind"`
	Error       *strictyaml.Node            `yaml:"error"`
	Step        *strictyaml.Node            `yaml:"step"`
	After       *strictyaml.Node            `yaml:"after"`
	Output      *strictyaml.Node            `yaml:"output"`
	ExactOutput *strictyaml.Node            `yaml:"exactOutput"`
	Calls       *strictyaml.Node            `yaml:"calls"`
	Steps       map[string]*strictyaml.Node `yaml:"steps"`
}

// expectedCall is one call, or several equal calls, of a step with a stub.
type expectedCall struct {
	at              *strictyaml.Node
	step            string
	times           int
	with, exactWith *strictyaml.Node
	input           *strictyaml.Node
}

type rawCall struct {
	Step      string           `yaml:"step,required"`
	Times     *int             `yaml:"times"`
	With      *strictyaml.Node `yaml:"with"`
	ExactWith *strictyaml.Node `yaml:"exactWith"`
	Input     *strictyaml.Node `yaml:"input"`
}

// expectedStep is the expected result of a step.
type expectedStep struct {
	name   string
	at     *strictyaml.Node
	status *strictyaml.Node
	raw    rawStep
}

type rawStep struct {
	Status      *strictyaml.Node `yaml:"status"`
	Attempts    *strictyaml.Node `yaml:"attempts"`
	Error       *strictyaml.Node `yaml:"error"`
	With        *strictyaml.Node `yaml:"with"`
	ExactWith   *strictyaml.Node `yaml:"exactWith"`
	Output      *strictyaml.Node `yaml:"output"`
	ExactOutput *strictyaml.Node `yaml:"exactOutput"`
}

// The words that are allowed in a file.
var (
	outcomes = []string{"succeeded", "failed", "snoozed", "dropped"}
	failures = []string{
		string(workqueue.KindError), string(workqueue.KindTimeout), string(workqueue.KindPermanent),
		string(workqueue.KindBusiness), string(workqueue.KindPanic),
	}
	statuses = []string{"done", "skipped", "broke", "failed", "not reached"}
)

func (r *reader) expectation(n *strictyaml.Node) expectation {
	var raw rawExpect
	if !r.decode(n, &raw) {
		return expectation{}
	}
	e := expectation{
		outcome: r.word(raw.Outcome, outcomes), kind: r.word(raw.Kind, failures), errorText: r.text(raw.Error), step: r.text(raw.Step),
		output: raw.Output, exactOutput: raw.ExactOutput, callsNode: raw.Calls,
	}
	if e.step != nil {
		e.stepPath = r.pathOf(e.step, e.step.Text)
	}
	if raw.After.HasValue() {
		var after handlers.Duration
		r.Findings = append(r.Findings, raw.After.Decode(&after)...)
		e.after, e.afterAt = new(time.Duration(after)), raw.After
	}
	if raw.Calls.HasValue() {
		if raw.Calls.Kind != strictyaml.Sequence {
			r.Report(raw.Calls, "wrong-type", fmt.Sprintf("got %s, want a list of calls", raw.Calls.Kind), "")
		}
		for _, one := range raw.Calls.Items {
			e.calls = append(e.calls, r.call(one))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Steps)) {
		if path := r.pathOf(raw.Steps[name], name); path != "" {
			e.steps = append(e.steps, r.step(path, raw.Steps[name]))
		}
	}
	return e
}

// word checks that a node is one of a few words. It returns nil if the node has no value.
func (r *reader) word(n *strictyaml.Node, words []string) *strictyaml.Node {
	if !n.HasValue() {
		return nil
	}
	if !slices.Contains(words, n.Text) {
		r.Report(n, pipelines.CodeInvalidValue, fmt.Sprintf("got %q, want one of %s", n.Text, quotedList(words)), strictyaml.Suggest(n.Text, words))
	}
	return n
}

func (r *reader) text(n *strictyaml.Node) *strictyaml.Node {
	if !n.HasValue() {
		return nil
	}
	if n.Kind != strictyaml.Scalar {
		r.Report(n, "wrong-type", fmt.Sprintf("got %s, want a text", n.Kind), "")
	}
	return n
}

// call decodes a call: a mapping, or only the name of the step.
func (r *reader) call(n *strictyaml.Node) expectedCall {
	if n.Kind == strictyaml.Scalar {
		return expectedCall{at: n, step: r.pathOf(n, n.Text), times: 1}
	}
	var raw rawCall
	if !r.decode(n, &raw) {
		return expectedCall{at: n}
	}
	c := expectedCall{at: n, step: r.pathOf(n.Get("step"), raw.Step), times: or(raw.Times, 1), with: raw.With, exactWith: raw.ExactWith, input: raw.Input}
	if c.times < 1 {
		r.Report(n.Get("times"), pipelines.CodeInvalidValue, fmt.Sprintf("got %d, want 1 or more", c.times), "remove the call")
	}
	return c
}

// step decodes the expected result of a step: a mapping, or only the status.
func (r *reader) step(name string, n *strictyaml.Node) expectedStep {
	s := expectedStep{name: name, at: n}
	if n.Kind == strictyaml.Scalar {
		s.status = r.word(n, statuses)
		return s
	}
	if !n.HasValue() || !r.decode(n, &s.raw) {
		return s
	}
	s.status = r.word(s.raw.Status, statuses)
	r.text(s.raw.Error)
	if a := s.raw.Attempts; a.HasValue() {
		var count int
		r.Findings = append(r.Findings, a.Decode(&count)...)
	}
	return s
}
