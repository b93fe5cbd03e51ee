package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestRunKeepsSecretsOutOfTheOutput(t *testing.T) {
	p := parse(t, testCompiler(nil), "steps:\n  - {handler: Echo, with: {value: {a: ['x ${{ secrets.apiKey }}'], n: 123456}}}\n")
	e := NewEngine(EngineOptions{Secrets: map[string]string{"apiKey": "hunter22", "dbPassword": "1234"}})
	r := e.Run(t.Context(), p, RunInput{})
	if want := `{"a":["x <secret>"],"n":123456}`; string(r.Output) != want || r.Error != "" {
		t.Errorf("output = %s (%s), want %s", r.Output, r.Error, want)
	}
}

func testRun(payload string) *workqueue.Run {
	return workqueue.NewRun(&workqueue.Item{ID: 42, QueueName: "default", Priority: 700, RetryCount: 1, Fence: 7, IdempotencyKey: "k", Payload: workqueue.JSONText(payload),
		CreatedAt: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)})
}

func testEngine(log *bytes.Buffer) *Engine {
	secrets := map[string]string{"apiKey": "s3cret/\"key\"", "dbPassword": "pw"}
	opts := EngineOptions{Env: map[string]string{"HOST": "example.test"}, Secrets: secrets, WorkerName: "w1", Log: zerolog.Nop()}
	if log != nil {
		opts.Redactor = NewRedactor(secrets["apiKey"])
		opts.Log = zerolog.New(opts.Redactor.Writer(log))
	}
	return NewEngine(opts)
}

func returns(output any, err error) do {
	return func(context.Context, *handlers.Call) (any, error) { return output, err }
}

// TestOutcomes checks the outcome of a run for each way in which a step can end.
func TestOutcomes(t *testing.T) {
	const one = "resilience: {limit: 7}\nsteps: [{name: load, handler: Do}]"
	cause := errors.New("disk full")
	tests := []struct {
		name    string
		do      do
		text    string
		payload string
		want    workqueue.Outcome
	}{
		{name: "output", do: returns(map[string]any{"a": 1, "b": "<x>"}, nil),
			want: workqueue.Outcome{Output: `{"a":1,"b":"<x>"}`}},
		{name: "no output", do: returns(nil, nil)},
		{name: "error", do: returns(nil, cause),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: `step "load" (Do): disk full`, Step: "load"}},
		{name: "permanent", do: returns(nil, fmt.Errorf("copy: %w", handlers.Permanent(cause))),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: `step "load" (Do): copy: disk full`, Step: "load"}},
		{name: "business", do: returns(nil, handlers.Business(cause)),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindBusiness, Error: `step "load" (Do): disk full`, Step: "load"}},
		{name: "retry after", do: returns(nil, handlers.RetryAfter(cause, time.Minute)),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: `step "load" (Do): disk full`, Step: "load", After: time.Minute}},
		{name: "snooze", do: returns(nil, handlers.Snooze(time.Hour, "file not there yet")),
			want: workqueue.Outcome{Verdict: workqueue.Snoozed, Error: "file not there yet", Step: "load", After: time.Hour}},
		{name: "snooze without a reason", do: returns(nil, handlers.Snooze(time.Hour, "")),
			want: workqueue.Outcome{Verdict: workqueue.Snoozed, Step: "load", After: time.Hour}},
		{name: "snooze is not for onError", do: returns(nil, handlers.Snooze(time.Hour, "later")),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Do, onError: continue}, {handler: Echo, with: {text: x}}]",
			want: workqueue.Outcome{Verdict: workqueue.Snoozed, Error: "later", Step: "load", After: time.Hour}},
		{name: "drop", do: returns(nil, handlers.Drop("withdrawn")),
			want: workqueue.Outcome{Verdict: workqueue.Dropped, Error: "withdrawn", Step: "load"}},
		{name: "drop is not for onError", do: returns(nil, handlers.Drop("withdrawn")),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Do, onError: continue}, {handler: Echo, with: {text: x}}]",
			want: workqueue.Outcome{Verdict: workqueue.Dropped, Error: "withdrawn", Step: "load"}},
		{name: "uncounted", do: returns(nil, handlers.Uncounted(cause)),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: `step "load" (Do): disk full`, Step: "load", Uncounted: true}},
		{name: "break", do: returns("ignored", handlers.Break("enough")),
			text: "resilience: {limit: 7}\nsteps: [{handler: Echo, with: {text: so far}}, {name: load, handler: Do}, {handler: Fail}]",
			want: workqueue.Outcome{Output: `"so far"`}},
		{name: "panic", do: func(context.Context, *handlers.Call) (any, error) { panic("index out of range") },
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPanic, Error: `step "load" (Do): panic: index out of range`, Step: "load"}},
		{name: "output without JSON", do: returns(math.Inf(1), nil),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Step: "load",
				Error: `step "load" (Do): cannot encode the output as JSON: json: unsupported value: +Inf`}},
		{name: "onError continue", do: returns(nil, cause),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Do, onError: continue}, {handler: Echo, with: {value: '${{ [steps.load.error, input] }}'}}]",
			want: workqueue.Outcome{Output: `["disk full",{"n":1}]`}},
		{name: "onError break", do: returns(nil, cause),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Do, onError: break}, {handler: Fail}]"},
		{name: "handlers are not called if the payload is not JSON", payload: "{n: 1}", do: returns("x", nil),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent,
				Error: `the payload is not JSON: json at byte 2: invalid character 'n' looking for beginning of object key string; hint: a JSON text needs double quotes: "text"`}},
		{name: "payload against input", payload: `{"n": "x", "rows": [{"amount": true}]}`, do: returns("x", nil),
			text: "resilience: {limit: 7}\ninput: {required: [file], properties: {n: {type: integer}, rows: {items: {properties: {amount: {type: number}}}}}}\nsteps: [{handler: Do}]",
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindBusiness,
				Error: "the payload does not match the pipeline's input: payload.n: got string, want integer; " +
					"payload.rows.0.amount: got boolean, want number; payload: missing property 'file'"}},
		{name: "an expression that fails is permanent", do: returns(nil, nil),
			text: "resilience: {limit: 7}\nsteps:\n  - name: load\n    handler: Echo\n    with:\n      text: a ${{ payload.x.y }}\n",
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Step: "load",
				Error: `step "load" (Echo): with.text (test.yaml:6:29): cannot read "y" of nil: the value before it is nil; ` +
					`use ?. if a value may be missing, and ?? for a default value`}},
		{name: "a condition must be true or false", do: returns(nil, nil),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Do, if: payload.x}]",
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Step: "load",
				Error: `step "load" (Do): if (test.yaml:2:39): the condition evaluates to nil, want true or false`}},
		{name: "an expression with an invalid parameter value fails permanently", do: returns(nil, nil),
			text: "resilience: {limit: 7}\nsteps: [{name: load, handler: Echo, with: {count: '${{ payload.n / 2 }}'}}]",
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Step: "load",
				Error: `step "load" (Echo): with: count: got the number 0.5, want a whole number`}},
		{name: "long errors are cut", do: returns(nil, errors.New(strings.Repeat("é", 10_000))),
			want: workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Step: "load",
				Error: `step "load" (Do): ` + strings.Repeat("é", 8_000-len(`step "load" (Do): `)) + " … (cut)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.text == "" {
				test.text = one
			}
			if test.payload == "" {
				test.payload = `{"n": 1}`
			}
			p := parse(t, testCompiler(map[string]do{"Do": test.do}), test.text)
			run := testRun(test.payload)
			got := testEngine(nil).Run(t.Context(), p, RunInput{Run: run})
			if policy, err := run.Policy(); err != nil || policy.Limit != 7 {
				t.Errorf("policy %+v (%v), want the pipeline's limit of 7", policy, err)
			}
			if diff := cmp.Diff(test.want, got.Outcome); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessageFlows checks the input and the output of each step.
func TestMessageFlows(t *testing.T) {
	var seen []any
	see := func(_ context.Context, call *handlers.Call) (any, error) {
		seen = append(seen, call.Input)
		return len(seen), nil
	}
	p := parse(t, testCompiler(map[string]do{"See": see}), `
steps:
  - handler: See
  - handler: See
    if: steps.See.skipped
  - handler: See
    if: ${{ steps['See-2'].skipped and steps['See-2'].output == nil }}
  - {name: end, handler: Echo, with: {value: "${{ {'n': input, 'first': steps.See.output, 'item': item.id, 'attempt': item.attempt, 'fence': item.fence, 'key': item.idempotencyKey} }}"}}
`)
	got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`"start"`)})
	if diff := cmp.Diff([]any{"start", 1}, seen); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	want := map[string]any{"n": 2, "first": 1, "item": 42, "attempt": 2, "fence": 7, "key": "k"}
	if diff := cmp.Diff(want, got.Value); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	var statuses []StepStatus
	for _, s := range got.Steps {
		statuses = append(statuses, s.Status)
	}
	if diff := cmp.Diff([]StepStatus{StepDone, StepSkipped, StepDone, StepDone}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestPayloadIsNotTheOutput(t *testing.T) {
	p := parse(t, testCompiler(nil), "steps: [{handler: Echo, if: 'false'}]")
	if got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"a": 1}`)}); got.Output != "" || got.Verdict != workqueue.Succeeded {
		t.Errorf("result = %+v, want success without output", got.Outcome)
	}
}

func TestRunWithoutItem(t *testing.T) {
	p := parse(t, testCompiler(nil), "trigger: {every: 5m}\nsteps: [{handler: Echo, with: {text: '${{ payload.day }} ${{ worker.name }} ${{ env.HOST }} ${{ env.NOPE ?? `-` }}'}}]")
	got := testEngine(nil).Run(t.Context(), p, RunInput{Payload: `{"day": "monday"}`})
	if want := workqueue.JSONText(`"monday w1 example.test -"`); got.Output != want {
		t.Errorf("output = %s, %s, want %s", got.Output, got.Error, want)
	}
}

// A run without an item cannot delete one.
func TestDropWithoutItem(t *testing.T) {
	p := parse(t, testCompiler(map[string]do{"Do": func(context.Context, *handlers.Call) (any, error) {
		return nil, handlers.Drop("nothing to do")
	}}), "steps: [{handler: Do}, {handler: Fail}]")
	if got := testEngine(nil).Run(t.Context(), p, RunInput{}); got.Verdict != workqueue.Succeeded {
		t.Errorf("outcome %+v, want a success", got.Outcome)
	}
}

func TestCallDescribesTheRun(t *testing.T) {
	var got handlers.Call
	p := parse(t, testCompiler(map[string]do{"See": func(_ context.Context, call *handlers.Call) (any, error) {
		got = *call
		return nil, nil
	}}), "name: P\nsteps: [{name: s, handler: See}]")
	testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"a": 1}`)})
	got.Progress("half")
	got.Log, got.OnProgress, got.OnPercent, got.OnOutput, got.OnAnalytics, got.OnPrint = zerolog.Logger{}, nil, nil, nil, nil, nil
	want := handlers.Call{Pipeline: "P", Step: "s", ItemID: 42, Queue: "default", Attempt: 2, Fence: 7, IdempotencyKey: "k",
		Payload: map[string]any{"a": 1}, Input: map[string]any{"a": 1}}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(zerolog.Logger, zerolog.Logger) bool { return true })); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
}

func TestPrintedTextsAreRedacted(t *testing.T) {
	p := parse(t, testCompiler(map[string]do{"Print": func(_ context.Context, call *handlers.Call) (any, error) {
		secret, _ := call.Input.(string)
		call.Print(func() string { return "key " + secret + "\n" })()
		return nil, nil
	}}), `{steps: [{handler: Echo, with: {text: "${{ secrets.apiKey }}"}}, {handler: Print}]}`)
	run := testRun("null")
	testEngine(nil).Run(t.Context(), p, RunInput{Run: run})
	if got := run.ProgressNote().LogTail; got != "key <secret>\n" {
		t.Errorf("log = %q, want the secret removed", got)
	}
}

// TestSecretsAreRedacted checks that errors, log lines and the stored output contain no
// secrets.
func TestSecretsAreRedacted(t *testing.T) {
	var log bytes.Buffer
	leak := func(_ context.Context, call *handlers.Call) (any, error) {
		call.Log.Info().Msg("using " + call.Input.(string))
		if call.Step == "boom" {
			panic(call.Input)
		}
		return call.Input, fmt.Errorf(`Get "https://example.test/?key=s3cret%%2F%%22key%%22": %v`, call.Input)
	}
	p := parse(t, testCompiler(map[string]do{"Leak": leak}), `
steps:
  - {handler: Echo, with: {text: "${{ secrets.apiKey }}"}}
  - {handler: Leak, onError: continue}
  - {name: boom, handler: Leak, onError: continue}
  - {name: fail, handler: Leak}
`)
	got := testEngine(&log).Run(t.Context(), p, RunInput{Run: testRun("null")})
	all := got.Error + log.String() + fmt.Sprint(got.Steps)
	if strings.Contains(all, "s3cret") || !strings.Contains(all, "using <secret>") || !strings.Contains(got.Error, "key=<secret>") {
		t.Errorf("a secret is shown, or its replacement is missing:\n%s", all)
	}
	if !strings.Contains(log.String(), "engine_test.go") {
		t.Errorf("the log does not contain the stack of the panic:\n%s", log.String())
	}
	p = parse(t, testCompiler(nil), `steps: [{handler: Echo, with: {text: "${{ secrets.apiKey }}"}}]`)
	if got := testEngine(nil).Run(t.Context(), p, RunInput{}); got.Value != "<secret>" || got.Output != `"<secret>"` {
		t.Errorf("output = %v (%s), want <secret>", got.Value, got.Output)
	}
}

func TestRunItemFailsItemsWithoutPipeline(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	for file, text := range map[string]string{
		"Import.yaml": "steps: [{handler: Echo}]",
		"Broken.yaml": "steps: [{handler: Ehco}]",
		"System.yaml": "trigger: {every: 1m}\nsteps: [{handler: Echo}]",
	} {
		if f := k.Add(file, []byte(text)); len(f) > 0 && file != "Broken.yaml" {
			t.Fatal(f)
		}
	}
	run := testEngine(nil).RunItem(k)
	tests := []struct {
		config string
		want   workqueue.Outcome
	}{
		{"Import", workqueue.Outcome{Output: "1"}},
		{" Import\r\n", workqueue.Outcome{Output: "1"}},
		{"import", workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: `there is no pipeline "import"; did you mean "Import"?`}},
		{"", workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent, Error: "got nothing, want a pipeline's name or a whole pipeline"}},
		{"Broken", workqueue.Outcome{Verdict: workqueue.Snoozed, After: time.Minute,
			Error: `the file of pipeline "Broken" has errors: Broken.yaml:1:19: steps[0].handler: unknown handler "Ehco" [unknown-handler]; did you mean "Echo"?`}},
		{"System", workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent,
			Error: `pipeline "System" has a trigger; an item needs a pipeline without one; ` + "`botwork run --once` starts it now"}},
		{`{"steps": [{"handler": "Echo", "with": {"count": 7}}]}`, workqueue.Outcome{Output: "7"}},
		{"steps: [{handler: Ehco}]", workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindPermanent,
			Error: `the item's inline pipeline has errors: integrationConfig:1:19: steps[0].handler: unknown handler "Ehco" [unknown-handler]; did you mean "Echo"?`}},
	}
	for _, test := range tests {
		item := testRun("1")
		item.IntegrationConfig = test.config
		if diff := cmp.Diff(test.want, run(t.Context(), item)); diff != "" {
			t.Errorf("%q: outcome (-want +got):\n%s", test.config, diff)
		}
	}
}

// picky panics during its validation in a run, like a handler with a bug.
type picky struct {
	N int `json:"n"`
}

func (p *picky) Validate() error                                     { _ = 1 / p.N; return nil }
func (p *picky) Handle(context.Context, *handlers.Call) (any, error) { return p.N, nil }

func TestPanicWhileBuildingAHandler(t *testing.T) {
	r := registry(nil)
	r.MustRegister(handlers.Kind{Name: "Picky", New: func() handlers.Handler { return &picky{} }})
	p := parse(t, NewCompiler(r, Options{}), "steps: [{name: s, handler: Picky, with: {n: '${{ payload.n }}'}}]")
	got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"n": 0}`)})
	if want := `step "s" (Picky): with: panic: runtime error: integer divide by zero`; got.Error != want || got.Kind != workqueue.KindPanic {
		t.Errorf("outcome = %q, %q, want %q", got.Kind, got.Error, want)
	}
}

func TestEnvironOmitsTheProgramsSettings(t *testing.T) {
	t.Setenv("BOTWORK_DATABASE_DSN", "sqlserver://sa:pw@db")
	t.Setenv("PIPELINES_TEST", "x=y")
	env := Environ()
	if _, there := env["BOTWORK_DATABASE_DSN"]; there || env["PIPELINES_TEST"] != "x=y" {
		t.Errorf("contains the DSN = %v, PIPELINES_TEST = %q, want false and x=y", there, env["PIPELINES_TEST"])
	}
}

// Long whole numbers keep their digits from the payload to the output.
func TestRunsKeepDigits(t *testing.T) {
	p := parse(t, testCompiler(nil), `
name: p
input: {type: object, properties: {n: {type: integer}}}
steps:
  - name: first
    handler: Echo
    with: {value: {n: "${{ payload.n }}", exact: "${{ payload.exact + 1 }}", list: "${{ map([payload.n], #) }}"}}
  - handler: Echo
    with: {value: ["${{ input }}", "n=${{ steps.first.output.n }}", "${{ toJSON(fromJSON(string(payload.n))) }}"]}
`)
	got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"n": 123456789012345678901234567890, "exact": 9007199254740992}`)})
	const want = `[{"exact":9007199254740993,"list":[123456789012345678901234567890],"n":123456789012345678901234567890},"n=123456789012345678901234567890","123456789012345678901234567890"]`
	if string(got.Output) != want {
		t.Errorf("output = %s, %s, want %s", got.Output, got.Error, want)
	}
	p = parse(t, testCompiler(nil), "name: p\nsteps:\n  - handler: Echo\n    with: {value: \"${{ payload.n + 1 }}\"}\n")
	got = testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun(`{"n": 123456789012345678901234567890}`)})
	if want := "invalid operation: <number of more than 64 bits> + int"; got.Verdict != workqueue.Failed || !strings.Contains(got.Error, want) || !strings.Contains(got.Error, "string(…)") {
		t.Errorf("%v: %s, want a failure with %q and a hint", got.Verdict, got.Error, want)
	}
}
