package pipelines

import (
	"context"
	"testing"

	"botwork/handlers"

	"github.com/google/go-cmp/cmp"
)

const partText = `steps:
  - {name: a, handler: Do}
  - {name: b, handler: Do}
  - {name: stop, handler: Break, if: "false"}
  - {name: c, handler: Echo, with: {value: "${{ [input, steps.a.output] }}"}}
  - {name: d, handler: Do}
`

func TestRunOfAPart(t *testing.T) {
	var called []string
	call := func(_ context.Context, c *handlers.Call) (any, error) {
		called = append(called, c.Step)
		return c.Step, nil
	}
	p := parse(t, testCompiler(map[string]do{"Do": call}), partText)
	tests := []struct {
		name   string
		part   *Part
		called []string
		output string
	}{
		{"all", nil, []string{"a", "b", "d"}, `"d"`},
		{"the beginning", &Part{Until: "b"}, []string{"a", "b"}, `"b"`},
		{"the end", &Part{From: "c", Outputs: map[string]any{"a": 1, "b": 2}}, []string{"d"}, `"d"`},
		{"one step", &Part{From: "c", Until: "c", Outputs: map[string]any{"a": 1, "b": 2}}, nil, `[2,1]`},
		{"the message passes a step that only ends the run", &Part{From: "stop", Until: "c", Outputs: map[string]any{"a": 1, "b": 2}}, nil, `[2,1]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			called = nil
			if err := p.CheckPart(test.part, true); err != nil {
				t.Fatal(err)
			}
			got := testEngine(nil).Run(t.Context(), p, RunInput{Part: test.part})
			if diff := cmp.Diff(test.called, called); diff != "" || string(got.Output) != test.output || got.Error != "" {
				t.Errorf("output %s, error %q, want %s; called (-want +got):\n%s", got.Output, got.Error, test.output, diff)
			}
		})
	}
}

func TestCheckPart(t *testing.T) {
	p := parse(t, testCompiler(map[string]do{"Do": returns(nil, nil)}), partText)
	for want, part := range map[string]*Part{
		`pipeline "test" has no step "stpo"; did you mean "stop"?`:                                                                                   {From: "stpo"},
		`pipeline "test" has no step "z"; it has a, b, stop, c, d`:                                                                                   {Until: "z"},
		`step "a" is before step "b", the first step of the run`:                                                                                     {From: "b", Until: "a"},
		`pipeline "test" has no step "A1"; it has a, b, stop, c, d`:                                                                                  {From: "b", Outputs: map[string]any{"A1": 1}},
		`got an output of step "a", but the run begins before that step; specify the first step of the run`:                                          {Outputs: map[string]any{"a": 1}},
		`got an output of step "c", but the step runs: the run begins at "b"`:                                                                        {From: "b", Outputs: map[string]any{"c": 1}},
		`step "c" reads from step "a", which does not run, and its output is missing; provide it, or null if there is none`:                          {From: "c", Outputs: map[string]any{"b": 1}},
		`step "stop" reads as its input the output of step "b", which does not run, and its output is missing; provide it, or null if there is none`: {From: "stop", Until: "stop"},
	} {
		if err := p.CheckPart(part, true); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", part, err, want)
		}
	}
	if err := p.CheckPart(&Part{From: "c"}, false); err != nil {
		t.Errorf("CheckPart of an incomplete part: %v", err)
	}
}
