package pipelines

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/google/go-cmp/cmp"
)

// summary returns a dry run as text: a line for each step, then the outcome.
func summary(r DryRun) []string {
	var lines []string
	for _, s := range r.Steps {
		line := fmt.Sprintf("%s %s", s.Name, s.Action)
		if s.Condition != "" {
			line += " if=" + s.Condition
		}
		if len(s.Unless) > 0 {
			line += " unless=" + strings.Join(s.Unless, ",")
		}
		for _, u := range s.Unknown {
			line += fmt.Sprintf(" %s?%s", u.Path, strings.Join(u.Steps, ","))
		}
		if text, err := jsonText(s.Parameters); err == nil && len(s.Parameters) > 0 {
			line += " " + text
		}
		if s.Action == DryFail {
			line += " " + s.Reason
		}
		lines = append(lines, line)
	}
	end := string(r.Outcome)
	if r.Step != "" {
		end += " at " + r.Step + " " + string(r.Kind)
	}
	return append(lines, strings.TrimSpace(end))
}

// TestDryRun checks which values are known, and on which steps the unknown ones depend. No
// handler may be called.
func TestDryRun(t *testing.T) {
	tests := []struct {
		name, text, payload string
		part                *Part
		want                []string
	}{
		{name: "parameters of the payload are known, those of an output are not", payload: `{"n": 2}`,
			text: `
- {name: a, handler: Do}
- {name: b, handler: Echo, with: {count: "${{ payload.n * 2 }}", text: "n is ${{ payload.n }}, a is ${{ steps.a.output.x }}", value: "${{ input }}"}}
- {name: c, handler: Echo, with: {value: ["${{ steps.a.output }}", "${{ steps.b.output }}", 1]}}`,
			want: []string{"a call",
				`b call with.text?a with.value?a {"count":4,"text":"n is 2, a is <unknown: a>","value":"<unknown: a>"}`,
				`c call with.value.0?a with.value.1?b {"value":["<unknown: a>","<unknown: b>",1]}`, "would succeed"}},
		{name: "the message is the payload until a step may have changed it", payload: `7`,
			text: `
- {name: a, handler: Do, if: payload > 9}
- {name: b, handler: Echo, with: {count: "${{ input }}"}}
- {name: c, handler: Do, if: steps.b.output > 1}
- {name: d, handler: Echo, with: {value: "${{ input }}"}}`,
			want: []string{"a skip if=false", `b call {"count":7}`, "c call if=unknown", `d call with.value?b,c {"value":"<unknown: b, c>"}`, "would succeed"}},
		{name: "a known part can decide an expression", payload: `{"n": 1}`,
			text: `
- {name: a, handler: Do}
- {name: b, handler: Do, if: payload.n == 2 and steps.a.output.ok}
- {name: c, handler: Do, if: payload.n == 1 or steps.a.output.ok}
- {name: d, handler: Do, if: payload.n == 1 and steps.a.output.ok}
- {name: e, handler: Do, if: steps.a.output.ok and payload.n == 2}
- {name: f, handler: Echo, with: {value: '${{ payload.n ?? steps.a.output }}', text: '${{ payload.n == 1 ? "one" : steps.a.output }}'}}
- {name: g, handler: Echo, with: {value: '${{ payload.x ?? steps.a.output }}'}}`,
			want: []string{"a call", "b skip if=false", "c call if=true", "d call if=unknown", "e call if=unknown",
				`f call {"text":"one","value":1}`, `g call with.value?a {"value":"<unknown: a>"}`, "would succeed"}},
		{name: "the fields of a step are known one by one",
			text: `
- {name: a, handler: Do}
- {name: b, handler: Do, onError: continue}
- {name: c, handler: Do, if: steps.b.error != nil}
- {name: d, handler: Echo, with: {value: "${{ [steps.a.skipped, steps.a.error, steps.b.skipped] }}"}}
- {name: e, handler: Echo, with: {value: "${{ steps.b.error }}", text: "${{ string(steps.c.skipped) }}"}}
- {name: f, handler: Echo, with: {value: "${{ steps[payload ?? 'a'].skipped }}"}}`,
			want: []string{"a call", "b call", "c call if=unknown", `d call {"value":[false,null,false]}`,
				`e call with.value?b with.text?c {"text":"<unknown: c>","value":"<unknown: b>"}`,
				`f call with.value?a,b,c,d,e {"value":"<unknown: a, b, c, d, e>"}`, "would succeed"}},
		{name: "wrong parameters fail, as far as they are known", payload: `{"n": 0.5}`,
			text: `
- {name: a, handler: Echo, with: {text: x}}
- {name: b, handler: Echo, with: {count: "${{ payload.n }}", text: "${{ steps.a.output }}"}}
- {name: c, handler: Do}`,
			want: []string{`a call {"text":"x"}`,
				`b fail with.text?a {"count":0.5,"text":"<unknown: a>"} with: count: got the number 0.5, want a whole number`,
				"c not reached", "would fail at b permanent"}},
		{name: "a rule over two parameters is checked when both are known", payload: `{"min": 3}`,
			text: `- {name: a, handler: Require, with: {url: u, min: "${{ payload.min }}", max: 2}}`,
			want: []string{`a fail {"max":2,"min":3,"url":"u"} with: min: is more than max`, "would fail at a permanent"}},
		{name: "an expression fails for certain", payload: `{"x": null}`,
			text: `- {name: a, handler: Echo, with: {text: "${{ payload.x.y }}"}}`,
			want: []string{`a fail with.text (test.yaml:2:56): cannot read "y" of nil: the value before it is nil; ` +
				`use ?. if a value may be missing, and ?? for a default value`, "would fail at a permanent"}},
		{name: "a known part of an unknown expression fails for certain", payload: `{"x": null}`,
			text: `
- {name: a, handler: Do}
- {name: b, handler: Do, if: payload.x.y and steps.a.output}`,
			want: []string{"a call", `b fail if (test.yaml:4:40): cannot read "y" of nil: the value before it is nil; ` +
				`use ?. if a value may be missing, and ?? for a default value`, "would fail at b permanent"}},
		{name: "a step that may not be called may fail", payload: `{"n": 0.5}`,
			text: `
- {name: a, handler: Do}
- {name: b, handler: Echo, if: steps.a.output, with: {count: "${{ payload.n }}"}}
- {name: c, handler: Do}`,
			want: []string{"a call", `b fail if=unknown {"count":0.5} with: count: got the number 0.5, want a whole number`, "c call unless=b", "may fail at b permanent"}},
		{name: "a failure with onError continue is known", payload: `{"n": 0.5}`,
			text: `
- {name: a, handler: Echo, onError: continue, with: {count: "${{ payload.n }}"}}
- {name: b, handler: Echo, with: {text: "${{ steps.a.error }}", value: "${{ input }}"}}
- {name: c, handler: Echo, onError: break, with: {count: "${{ payload.n }}"}}
- {name: d, handler: Do}`,
			want: []string{`a fail {"count":0.5} with: count: got the number 0.5, want a whole number`,
				`b call {"text":"with: count: got the number 0.5, want a whole number","value":{"n":0.5}}`,
				`c fail {"count":0.5} with: count: got the number 0.5, want a whole number`, "d not reached", "would succeed"}},
		{name: "a break ends the run", payload: `{"n": 1}`,
			text: `
- {name: a, handler: Break, if: payload.n == 2}
- {name: b, handler: Do}
- {name: c, handler: Break, if: steps.b.output}
- {name: d, handler: Echo, with: {value: "${{ steps.c.skipped }}"}}
- {name: e, handler: Break, if: payload.n == 1}
- {name: f, handler: Do}`,
			want: []string{"a skip if=false", "b call", "c call if=unknown", `d call unless=c {"value":true}`, "e call if=true unless=c", "f not reached", "would succeed"}},
		{name: "an item would be deleted", text: `- {name: a, handler: Drop}`, want: []string{"a call", "would drop its item at a"}},
		{name: "an invalid payload", payload: `{"x": 1}`, text: "input: {required: [file]}\nsteps: [{handler: Do}]",
			want: []string{"would fail"}},
		{name: "the part of a run", payload: `{}`,
			text: `
- {name: a, handler: Do}
- {name: b, handler: Do}
- {name: c, handler: Echo, with: {value: "${{ input }}", text: "${{ steps.a.output }}"}}
- {name: d, handler: Do}`,
			part: &Part{From: "c", Until: "c", Outputs: map[string]any{"b": []any{1}}},
			want: []string{"a given", "b given", `c call with.text?a {"text":"<unknown: a>","value":[1]}`, "d not reached", "would succeed"}},
		{name: "secrets are hidden, including short ones and derived values", payload: `{}`,
			text: `
- {name: a, handler: Echo, with: {text: "key ${{ secrets.apiKey }} pw ${{ secrets.dbPassword }}", value: "${{ upper(secrets.apiKey) }}", headers: {x: '${{ len(secrets.apiKey) }}!'}}}
- {name: b, handler: Do, if: secrets.apiKey != ""}`,
			want: []string{`a call {"headers":{"x":"<secret>!"},"text":"key <secret> pw <secret>","value":"<secret>"}`, "b call if=true", "would succeed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			forbidden := func(context.Context, *handlers.Call) (any, error) {
				t.Error("a handler was called")
				return nil, nil
			}
			c := testCompiler(map[string]do{"Do": forbidden, "Drop": forbidden})
			if !strings.Contains(test.text, "steps:") {
				test.text = "steps:\n" + test.text
			}
			p := parse(t, c, test.text)
			in := RunInput{Run: testRun(test.payload), Part: test.part}
			if err := p.CheckPart(in.Part, false); err != nil {
				t.Fatal(err)
			}
			got := testEngine(nil).DryRun(p, in)
			if diff := cmp.Diff(test.want, summary(got)); diff != "" {
				t.Errorf("dry run (-want +got):\n%s", diff)
			}
		})
	}
}

// A pipeline with a trigger has no item.
func TestDryRunOfASystemPipeline(t *testing.T) {
	p := parse(t, testCompiler(nil), "trigger: {every: 1m}\nsteps:\n  - {handler: Echo, with: {value: '${{ now }}', text: '${{ worker.name }}'}}\n")
	got := testEngine(nil).DryRun(p, RunInput{Now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)})
	want := []string{`Echo call {"text":"w1","value":"2026-01-31T12:00:00Z"}`, "would succeed"}
	if diff := cmp.Diff(want, summary(got)); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
}

// If all values are known, a run has the parameters, conditions and outcome of the dry
// run.
func TestDryRunAgreesWithARun(t *testing.T) {
	texts := []string{
		`- {name: a, handler: Echo, if: payload.n > 1, with: {count: "${{ payload.n }}"}}`,
		`- {name: a, handler: Echo, with: {text: "${{ payload.s + '!' }}", list: ["${{ payload.s }}"], headers: {x: "${{ payload.s }}"}}}`,
		`- {name: a, handler: Echo, with: {count: "${{ payload.s }}"}}`,
		`- {name: a, handler: Echo, with: {text: "${{ payload.missing }}!"}}`,
		`- {name: a, handler: Echo, if: payload.s, with: {text: x}}`,
		`- {name: a, handler: Require, with: {url: "${{ payload.s }}", min: "${{ payload.n }}", max: 1}}`,
		`- {name: a, handler: Script, with: {run: "${{ payload.n == 1 ? '{x}' : payload.s }}"}}`,
		`- {name: a, handler: Script, with: {run: "x${{ payload.n == 1 ? '{x}' : payload.s }}"}}`,
		`- {name: a, handler: Script, with: {run: "{x $${{ y }}}"}}`,
		`- {name: a, handler: Break}`,
	}
	for _, text := range texts {
		for _, payload := range []string{`{"n": 1, "s": "x"}`, `{"n": 2, "s": "y"}`, `null`} {
			p := parse(t, testCompiler(nil), "steps:\n"+text)
			called := "not called"
			in := RunInput{Payload: workqueue.JSONText(payload), Handle: func(ctx context.Context, c StepCall) (any, error) {
				called, _ = jsonText(c.With)
				return c.Handler.Handle(ctx, c.Call)
			}}
			ran := testEngine(nil).Run(t.Context(), p, in)
			dry := testEngine(nil).DryRun(p, in)
			if (ran.Verdict == workqueue.Failed) != (dry.Outcome == DryFails) || ran.Error != dry.Error || ran.Kind != dry.Kind {
				t.Errorf("%s with %s: the run %v %q, the dry run %v %q", text, payload, ran.Verdict, ran.Error, dry.Outcome, dry.Error)
			}
			if step := dry.Steps[0]; (step.Action == DryCall) != (called != "not called") {
				t.Errorf("%s with %s: called with %s, the dry run says %s", text, payload, called, step.Action)
			} else if with, _ := jsonText(step.Parameters); step.Action == DryCall && step.Parameters != nil && with != called {
				t.Errorf("%s with %s: called with %s, the dry run says %s", text, payload, called, with)
			}
		}
	}
}
