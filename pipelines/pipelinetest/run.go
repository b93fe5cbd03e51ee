package pipelinetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"

	"github.com/rs/zerolog"
)

// Case is one case of a file.
type Case struct {
	Name string

	// At is the case in the file.
	At *strictyaml.Node

	pipeline *pipelines.Pipeline
	part     *pipelines.Part
	setUp
	expect expectation
}

// Result is the result of a case.
type Result struct {
	Case     *Case
	Failures []Failure
	Took     time.Duration

	// Ran are the steps that were called or failed before the call.
	Ran []string
}

// call is one call of a step's handler.
type call struct {
	step    string
	with    any
	input   any
	stubbed bool
}

// runner is the state of a running case. It is used by one goroutine.
type runner struct {
	*Case
	calls     []call
	counts    map[string]int
	outputs   map[string]any
	missing   []string // steps with side effects and without a stub
	exhausted []*exhausted
}

// Run runs the case without reading or changing anything outside of it. If the case does not set a secret, its value is
// "secret-" and its name.
func (c *Case) Run(ctx context.Context, o Options) Result {
	started := time.Now()
	secrets := map[string]string{}
	for _, name := range o.SecretNames {
		secrets[name] = "secret-" + name
	}
	maps.Copy(secrets, c.secrets)
	engine := pipelines.NewEngine(pipelines.EngineOptions{Env: c.env, Secrets: secrets, Values: o.Values, WorkerName: c.worker, Log: zerolog.Nop()})
	r := &runner{Case: c, counts: map[string]int{}, outputs: map[string]any{}}
	in := pipelines.RunInput{Payload: c.payloadText(), Part: c.part, Now: c.now, Handle: r.handle}
	if c.pipeline.Trigger == nil {
		in.Run = c.run()
	}
	ended := engine.Run(ctx, c.pipeline, in)
	failures := r.compare(ended)
	result := Result{Case: c, Failures: failures, Took: time.Since(started)}
	for _, s := range ended.Steps {
		if s.Status != pipelines.StepSkipped {
			result.Ran = append(result.Ran, s.Name)
		}
	}
	return result
}

// handle replaces all handlers. It records the call before it answers, because a stub can
// panic like a handler.
func (r *runner) handle(ctx context.Context, c pipelines.StepCall) (any, error) {
	name := c.Path
	s := r.steps[name]
	if s == nil {
		s = r.handlers[c.Step.Handler]
	}
	r.counts[name]++
	r.calls = append(r.calls, call{step: name, with: plain(c.With), input: plain(c.Call.Input), stubbed: s != nil})
	output, err := r.answer(ctx, s, c)
	r.outputs[name] = plain(output)
	return output, err
}

func (r *runner) answer(ctx context.Context, s *stub, c pipelines.StepCall) (any, error) {
	if s != nil {
		output, err := s.answer(c.Step, r.counts[c.Path])
		if e, ok := errors.AsType[*exhausted](err); ok {
			r.exhausted = append(r.exhausted, e)
			err = handlers.Permanent(err)
		}
		return output, err
	}
	if c.Step.Uses != "" {
		return c.Handler.Handle(ctx, c.Call)
	}
	if pure, ok := c.Handler.(handlers.Pure); ok && pure.Pure() {
		return c.Handler.Handle(ctx, c.Call)
	}
	if c.Step.Handler == "Delay" {
		return c.Call.Input, nil
	}
	r.missing = append(r.missing, c.Path)
	return nil, handlers.Permanent(errors.New("the step has side effects and no stub"))
}

// compare compares the result of the run with the expectations.
func (r *runner) compare(result pipelines.Result) []Failure {
	c := &comparison{}
	for path, s := range r.pipeline.Walk() {
		if slices.Contains(r.missing, path) {
			c.fail(r.At, fmt.Sprintf("step %q (%s)", path, s.Handler), "a call with side effects, but no stub",
				fmt.Sprintf("stubs: {%s: {output: …}}; the output of the step: %s", yamlKey(path), strings.TrimSuffix(s.Outputs(), ".")))
		}
	}
	for _, e := range r.exhausted {
		c.fail(r.At, fmt.Sprintf("step %q", e.step), fmt.Sprintf("call %d", e.call), fmt.Sprintf("at most %d: the list of its stub has no more answers", e.answers))
	}
	if len(c.failures) > 0 {
		return c.failures // other failures would only be consequences of these
	}
	r.compareOutcome(c, result)
	r.compareCalls(c)
	for _, s := range r.expect.steps {
		r.compareStep(c, s, result)
	}
	slices.SortStableFunc(c.failures, func(a, b Failure) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return c.failures
}

// yamlKey returns a step's name as a YAML key.
func yamlKey(name string) string {
	if strings.ContainsAny(name, " :#") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

func handlersJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
