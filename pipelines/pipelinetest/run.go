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

	// At is where the case stands.
	At *strictyaml.Node

	pipeline *pipelines.Pipeline
	part     *pipelines.Part
	setUp
	expect expectation
}

// Result is what a case came to.
type Result struct {
	Case     *Case
	Failures []Failure
	Took     time.Duration

	// Ran are the steps that were called, or failed before that.
	Ran []string
}

// called is one call of a step's handler.
type called struct {
	step    string
	with    any
	input   any
	stubbed bool
}

// runner is the work on one case. One goroutine owns it.
type runner struct {
	*Case
	calls   []called
	counts  map[string]int
	outputs map[string]any
	missing []string // steps that would have had an effect
	tired   []*exhausted
}

// Run runs the case. Nothing outside is read or changed. secretNames are the
// secrets that pipelines may name; those to which the case gives no value have
// one that names them.
func (c *Case) Run(ctx context.Context, secretNames []string) Result {
	started := time.Now()
	secrets := map[string]string{}
	for _, name := range secretNames {
		secrets[name] = "secret-" + name
	}
	maps.Copy(secrets, c.secrets)
	engine := pipelines.NewEngine(pipelines.EngineOptions{Env: c.env, Secrets: secrets, WorkerName: c.worker, Log: zerolog.Nop()})
	r := &runner{Case: c, counts: map[string]int{}, outputs: map[string]any{}}
	in := pipelines.RunInput{Payload: c.payloadText(), Part: c.part, Now: c.now, Handle: r.handle}
	if c.pipeline.Trigger == nil {
		in.Run = c.run()
	}
	came := engine.Run(ctx, c.pipeline, in)
	failures := r.compare(came)
	result := Result{Case: c, Failures: failures, Took: time.Since(started)}
	for _, s := range came.Steps {
		if s.Status != pipelines.StepSkipped {
			result.Ran = append(result.Ran, s.Name)
		}
	}
	return result
}

// handle stands in for all handlers. The call counts before it is answered: a
// stub may panic, as a handler may.
func (r *runner) handle(ctx context.Context, c pipelines.StepCall) (any, error) {
	name := c.Step.Name
	s := r.steps[name]
	if s == nil {
		s = r.handlers[c.Step.Handler]
	}
	r.counts[name]++
	r.calls = append(r.calls, called{step: name, with: plain(c.With), input: plain(c.Call.Input), stubbed: s != nil})
	output, err := r.answer(ctx, s, c)
	r.outputs[name] = plain(output)
	return output, err
}

func (r *runner) answer(ctx context.Context, s *stub, c pipelines.StepCall) (any, error) {
	if s != nil {
		output, err := s.give(c.Step, r.counts[c.Step.Name])
		if tired, ok := errors.AsType[*exhausted](err); ok {
			r.tired = append(r.tired, tired)
			err = handlers.Permanent(err)
		}
		return output, err
	}
	if pure, ok := c.Handler.(handlers.Pure); ok && pure.Pure() {
		return c.Handler.Handle(ctx, c.Call)
	}
	if c.Step.Handler == "Delay" {
		return c.Call.Input, nil
	}
	r.missing = append(r.missing, c.Step.Name)
	return nil, handlers.Permanent(errors.New("the step has an effect and no stub"))
}

// compare holds what came of the run to what is expected.
func (r *runner) compare(came pipelines.Result) []Failure {
	c := &comparison{}
	for _, s := range r.pipeline.Steps {
		if slices.Contains(r.missing, s.Name) {
			c.fail(r.At, fmt.Sprintf("step %q (%s)", s.Name, s.Handler), "a call that has an effect, and no stub for it",
				fmt.Sprintf("stubs: {%s: {output: …}}; it puts out %s", yamlKey(s.Name), strings.TrimSuffix(s.Outputs(), ".")))
		}
	}
	for _, t := range r.tired {
		c.fail(r.At, fmt.Sprintf("step %q", t.step), fmt.Sprintf("call %d", t.call), fmt.Sprintf("at most %d: its stub is a list of as many answers", t.known))
	}
	if len(c.failures) > 0 {
		return c.failures // what follows from these would only hide them
	}
	r.outcome(c, came)
	r.expectedCalls(c)
	for _, s := range r.expect.steps {
		r.expectedStep(c, s, came)
	}
	slices.SortStableFunc(c.failures, func(a, b Failure) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return c.failures
}

// yamlKey writes a step's name as a key.
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
