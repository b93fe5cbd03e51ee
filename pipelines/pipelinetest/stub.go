package pipelinetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// stub replaces a step's handler.
type stub struct {
	answers []*answer

	// each is true if the only answer is for every call. Otherwise, there is one
	// answer per call.
	each bool
}

// answer is the answer to a call: an output or an error.
type answer struct {
	output any
	fails  func(*pipelines.Step) error
}

type rawAnswer struct {
	Output     *strictyaml.Node  `yaml:"output"`
	Error      *string           `yaml:"error"`
	Kind       *strictyaml.Node  `yaml:"kind"`
	RetryAfter handlers.Duration `yaml:"retryAfter"`
	Counted    *bool             `yaml:"counted"`
	Snooze     *strictyaml.Node  `yaml:"snooze"`
	Break      *string           `yaml:"break"`
	Drop       *string           `yaml:"drop"`
	Reason     string            `yaml:"reason"`
}

// kinds are the kinds of errors that a stub can return.
var kinds = []string{"error", "timeout", "permanent", "business", "panic"}

// stub decodes a stub: one answer for all calls, or a list of answers.
func (r *reader) stub(n *strictyaml.Node) *stub {
	if n.Kind != strictyaml.Sequence {
		return &stub{answers: []*answer{r.answer(n)}, each: true}
	}
	s := &stub{}
	for _, one := range n.Items {
		s.answers = append(s.answers, r.answer(one))
	}
	if len(s.answers) == 0 {
		r.Report(n, pipelines.CodeInvalidValue, "got an empty list, want an answer for each call", "")
	}
	return s
}

func (r *reader) answer(n *strictyaml.Node) *answer {
	var raw rawAnswer
	a := &answer{}
	if !r.decode(n, &raw) {
		if n.Kind != strictyaml.Mapping {
			r.Report(n, pipelines.CodeInvalidValue, fmt.Sprintf("got %s, want an answer", n.Kind), "such as {output: 1} or {error: no such file}")
		}
		return a
	}
	var results []string
	for _, key := range []string{"output", "error", "snooze", "break", "drop"} {
		if n.Get(key) != nil {
			results = append(results, key)
		}
	}
	if len(results) != 1 {
		r.Report(n, pipelines.CodeInvalidValue, fmt.Sprintf("got %s, want one of output, error, snooze, break and drop", orNone(results)), "")
		return a
	}
	if raw.Error == nil && (raw.Kind.HasValue() || raw.RetryAfter != 0 || raw.Counted != nil) {
		r.Report(n, pipelines.CodeInvalidValue, "kind, retryAfter and counted are only allowed together with error", "")
	}
	switch results[0] {
	case "output":
		a.output = raw.Output.Any()
	case "error":
		a.fails = r.failure(n, &raw)
	case "snooze":
		var after handlers.Duration
		r.Findings = append(r.Findings, raw.Snooze.Decode(&after)...)
		a.fails = func(*pipelines.Step) error { return handlers.Snooze(time.Duration(after), raw.Reason) }
	case "break":
		a.fails = func(*pipelines.Step) error { return handlers.Break(or(raw.Break, "")) }
	case "drop":
		a.fails = func(*pipelines.Step) error { return handlers.Drop(or(raw.Drop, "")) }
	}
	return a
}

// failure returns a function that creates the error of an answer.
func (r *reader) failure(n *strictyaml.Node, raw *rawAnswer) func(*pipelines.Step) error {
	kind, text := "error", or(raw.Error, "")
	if raw.Kind.HasValue() {
		r.Findings = append(r.Findings, raw.Kind.Decode(&kind)...)
	}
	wrap := func(err error) error {
		if raw.RetryAfter > 0 {
			err = handlers.RetryAfter(err, time.Duration(raw.RetryAfter))
		}
		if raw.Counted != nil && !*raw.Counted {
			err = handlers.Uncounted(err)
		}
		return err
	}
	switch kind {
	case "error":
		return func(*pipelines.Step) error { return wrap(errors.New(text)) }
	case "timeout":
		return func(s *pipelines.Step) error { return wrap(pipelines.TimedOut(s, errors.New(text))) }
	case "permanent":
		return func(*pipelines.Step) error { return handlers.Permanent(wrap(errors.New(text))) }
	case "business":
		return func(*pipelines.Step) error { return handlers.Business(wrap(errors.New(text))) }
	case "panic":
		return func(*pipelines.Step) error { panic(text) }
	}
	r.Report(raw.Kind, pipelines.CodeInvalidValue, fmt.Sprintf("got %q, want one of %s", kind, strings.Join(kinds, ", ")), strictyaml.Suggest(kind, kinds))
	return nil
}

// answer answers the nth call, counted from 1.
func (s *stub) answer(step *pipelines.Step, n int) (any, error) {
	if s.each {
		n = 1
	}
	if n > len(s.answers) {
		return nil, &exhausted{step.Path, n, len(s.answers)}
	}
	a := s.answers[n-1]
	if a.fails != nil {
		return nil, a.fails(step)
	}
	return a.output, nil
}

// exhausted means that a step was called more often than its stub has answers.
type exhausted struct {
	step          string
	call, answers int
}

func (e *exhausted) Error() string {
	return fmt.Sprintf("got call %d of step %q, but its stub has only %d answers", e.call, e.step, e.answers)
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " and ")
}

func quotedList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}
