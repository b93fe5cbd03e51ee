package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// project is a catalogue for tests, by file name.
func projectOf(t *testing.T, tests map[string]do, files map[string]string) *Catalogue {
	t.Helper()
	var list []File
	for _, name := range sortedKeys(files) {
		list = append(list, File{Path: "pipelines/" + name + ".yaml", Data: []byte(files[name])})
	}
	k, findings := Load(testCompiler(tests), list)
	if len(findings) > 0 {
		t.Fatalf("findings:\n%v", findings)
	}
	return k
}

// outcomeOf runs a pipeline as an item with a payload.
func outcomeOf(t *testing.T, ctx context.Context, tests map[string]do, text, payload string) (Result, *workqueue.Run) {
	t.Helper()
	run := workqueue.NewRun(&workqueue.Item{ID: 1, Payload: workqueue.JSONText(payload)})
	return NewEngine(EngineOptions{}).Run(ctx, parse(t, testCompiler(tests), text), RunInput{Run: run}), run
}

func TestBlocks(t *testing.T) {
	fails := map[string]do{"Boom": func(context.Context, *handlers.Call) (any, error) { return nil, errors.New("boom") }}
	for _, tt := range []struct {
		name, text, payload string
		want, wrong         string // the output, or a part of the error
		steps               string
	}{
		{
			name: "the output of a block is that of its last step",
			text: `
steps:
  - {name: open, handler: Echo, with: {value: 1}}
  - name: post
    steps:
      - {name: sign, handler: Echo, with: {value: "${{ steps.open.output + 1 }}"}}
      - {name: send, handler: Echo, with: {value: "${{ steps.sign.output + input }}"}}
  - {name: last, handler: Echo, with: {value: "${{ [steps.post.output, input] }}"}}`,
			want: `[4,4]`, steps: "open done, post done, post / sign done, post / send done, last done",
		},
		{
			name: "a block without a step that runs passes on its input",
			text: `
steps:
  - {name: open, handler: Echo, with: {value: 1}}
  - name: post
    steps: [{name: sign, handler: Echo, if: "false"}]
  - {name: last, handler: Echo, with: {value: "${{ {from: input, out: steps.post.output} }}"}}`,
			want: `{"from":1,"out":null}`,
		},
		{
			name: "a block is skipped",
			text: `
steps:
  - name: post
    if: payload.wanted
    steps: [{name: sign, handler: Boom}]
  - {handler: Echo, with: {value: "${{ steps.post.skipped }}"}}`,
			payload: `{"wanted": false}`, want: `true`, steps: "post skipped, Echo done",
		},
		{
			name: "onError of a block",
			text: `
steps:
  - name: post
    onError: continue
    steps: [{name: sign, handler: Boom}, {name: send, handler: Echo}]
  - {handler: Echo, with: {value: "${{ steps.post.error }}"}}`,
			want: `"step \"post / sign\" (Boom): boom"`,
		},
		{
			name:  "a failure names the path",
			text:  `steps: [{name: post, steps: [{name: sign, handler: Boom}]}]`,
			wrong: `step "post / sign" (Boom): boom`, steps: "post failed, post / sign failed",
		},
		{
			name: "break inside of a block ends the pipeline with the last output",
			text: `
steps:
  - {handler: Echo, with: {value: 1}}
  - name: post
    steps: [{handler: Echo, with: {value: 2}}, {handler: Break, if: payload == nil}]
  - {name: never, handler: Boom}`,
			want: `2`,
		},
		{
			name: "a loop gives the list of outputs, in order",
			text: `
steps:
  - {name: lines, foreach: "${{ payload.lines }}", as: line, handler: Echo, with: {value: "${{ {n: line * 10, at: each.index, from: input} }}"}}`,
			payload: `{"lines": [1, 2]}`, want: `[{"at":0,"from":1,"n":10},{"at":1,"from":2,"n":20}]`,
		},
		{
			name: "a loop over a map, in the order of its keys",
			text: `
steps:
  - {foreach: "${{ payload }}", handler: Echo, with: {text: "${{ each.key }}=${{ each.value }}@${{ each.index }}"}}`,
			payload: `{"b": 2, "a": 1}`, want: `["a=1@0","b=2@1"]`,
		},
		{
			name: "nested loops see the outer element, and steps only of the same iteration",
			text: `
steps:
  - foreach: [[1, 2], [3]]
    as: row
    name: rows
    steps:
      - {name: width, handler: Echo, with: {value: "${{ len(row) }}"}}
      - {name: cells, foreach: "${{ row }}", as: cell, handler: Echo, with: {text: "${{ cell }}/${{ steps.width.output }}/${{ each.index }}"}}`,
			want:  `[["1/2/0","2/2/1"],["3/1/0"]]`,
			steps: "rows done, rows / width done, rows / cells done",
		},
		{
			name: "the condition of a loop that names the element decides for each",
			text: `steps: [{foreach: [1, 2, 3], as: n, if: n != 2, handler: Echo, with: {value: "${{ n }}"}}]`,
			want: `[1,null,3]`,
		},
		{
			name:    "the condition of a loop that does not name the element decides once, before the list",
			text:    `steps: [{name: a, foreach: "${{ payload.none.list }}", if: payload.none != nil, handler: Echo}, {handler: Echo, with: {value: "${{ steps.a.skipped }}"}}]`,
			payload: `{}`, want: `true`,
		},
		{
			name: "an empty list is not an error",
			text: `steps: [{name: a, foreach: "${{ [] }}", handler: Boom}, {handler: Echo, with: {value: "${{ steps.a }}"}}]`,
			want: `{"error":null,"errors":[],"output":[],"skipped":false}`,
		},
		{
			name: "collect: false keeps no outputs and passes on the input",
			text: `
steps:
  - {handler: Echo, with: {value: before}}
  - {name: a, foreach: [1, 2], collect: false, handler: Echo}
  - {handler: Echo, with: {value: "${{ [input, steps.a.output] }}"}}`,
			want: `["before",null]`,
		},
		{
			name: "onError: continue goes on with the other elements",
			text: `
steps:
  - {name: a, foreach: [1, 2, 3], as: n, onError: continue, handler: Require, with: {url: x, min: "${{ n }}", max: 2}}
  - {handler: Echo, with: {value: "${{ {out: steps.a.output, errors: map(steps.a.errors, [.index, .kind]), error: steps.a.error} }}"}}`,
			want: `{"error":null,"errors":[[2,"permanent"]],"out":["x","x",null]}`,
		},
		{
			name:  "the first failure ends a loop",
			text:  `steps: [{name: a, foreach: [1, 2, 3], as: n, handler: Require, with: {url: x, min: "${{ n }}", max: 1}}]`,
			wrong: `step "a" (Require): element 2 of 3: with: min: is more than max`,
		},
		{
			name: "a list that is none",
			text: `steps: [{name: a, foreach: "${{ payload.lines }}", handler: Echo}]`, payload: `{"lines": "x"}`,
			wrong: `step "a" (Echo): foreach: got a text, want a list or a map`,
		},
		{
			name: "branches give an object by name",
			text: `
steps:
  - {handler: Echo, with: {value: 1}}
  - name: both
    parallel: true
    steps:
      - {name: left, handler: Echo, with: {value: "${{ input + 1 }}"}}
      - name: right
        steps: [{name: one, handler: Echo}, {name: two, handler: Echo, with: {value: "${{ steps.one.output + 2 }}"}}]
      - {name: none, handler: Echo, if: "false"}
  - {handler: Echo, with: {value: "${{ steps.both.output }}"}}`,
			want: `{"left":2,"none":null,"right":3}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := outcomeOf(t, t.Context(), fails, tt.text, tt.payload)
			if tt.wrong != "" {
				if got.Verdict != workqueue.Failed || !strings.Contains(got.Error, tt.wrong) {
					t.Errorf("outcome = %+v, want a failure with %q", got.Outcome, tt.wrong)
				}
			} else if got.Verdict != workqueue.Succeeded || string(got.Output) != tt.want {
				t.Errorf("outcome = %+v, want the output %s", got.Outcome, tt.want)
			}
			var steps []string
			for _, s := range got.Steps {
				steps = append(steps, s.Name+" "+string(s.Status))
			}
			if all := strings.Join(steps, ", "); tt.steps != "" && all != tt.steps {
				t.Errorf("steps = %s, want %s", all, tt.steps)
			}
		})
	}
}

func TestRetryAndTimeoutOfBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		tests := map[string]do{
			"Flaky": func(context.Context, *handlers.Call) (any, error) {
				if calls++; calls < 3 {
					return nil, errors.New("not yet")
				}
				return calls, nil
			},
			"Hang": func(ctx context.Context, _ *handlers.Call) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
		}
		got, _ := outcomeOf(t, t.Context(), tests, `
resilience: {limit: 1}
steps:
  - name: post
    retry: {attempts: 3, delay: 10s, jitter: 0}
    steps:
      - {name: first, handler: Echo, if: "true"}
      - {name: second, handler: Flaky}
`, "")
		if got.Verdict != workqueue.Succeeded || string(got.Output) != "3" || calls != 3 {
			t.Errorf("outcome = %+v after %d calls, want 3", got.Outcome, calls)
		}
		got, _ = outcomeOf(t, t.Context(), tests, `
resilience: {limit: 1}
steps: [{name: post, timeout: 5s, retry: {attempts: 2, delay: 1s, jitter: 0}, steps: [{name: wait, handler: Hang}]}]
`, "")
		want := `step "post" (block): timed out after 5s, the step's timeout: step "post / wait" (Hang): context deadline exceeded`
		if got.Error != want || got.Kind != workqueue.KindTimeout || got.Step != "post / wait" {
			t.Errorf("outcome = %+v, want the error %q in step post / wait", got.Outcome, want)
		}
	})
}

// Branches and iterations run at the same time; the first failure cancels the others, and no more
// iterations begin.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []string
		note := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, text)
		}
		began := time.Now()
		tests := map[string]do{
			"Sleep": func(ctx context.Context, call *handlers.Call) (any, error) {
				note("begin " + call.Step)
				select {
				case <-time.After(time.Second):
					return call.Step, nil
				case <-ctx.Done():
					note("cancelled " + call.Step)
					return nil, ctx.Err()
				}
			},
			"Boom": func(context.Context, *handlers.Call) (any, error) {
				time.Sleep(500 * time.Millisecond)
				return nil, errors.New("boom")
			},
		}
		got, _ := outcomeOf(t, t.Context(), tests, `steps: [{name: a, foreach: "${{ 1..4 }}", parallel: 2, steps: [{name: s, handler: Sleep}]}]`, "")
		if took := time.Since(began); got.Verdict != workqueue.Succeeded || took != 2*time.Second {
			t.Errorf("four iterations, two at the same time: %+v in %v, want 2s", got.Outcome, took)
		}
		if string(got.Output) != `["a[0] / s","a[1] / s","a[2] / s","a[3] / s"]` {
			t.Errorf("output = %s", got.Output)
		}
		at = nil
		got, _ = outcomeOf(t, t.Context(), tests, `
resilience: {limit: 1}
steps: [{name: both, parallel: true, steps: [{name: one, handler: Sleep}, {name: two, handler: Boom}]}, {handler: Echo}]`, "")
		if got.Error != `step "both / two" (Boom): boom` || got.Kind != workqueue.KindError || !slices.Equal(at, []string{"begin both / one", "cancelled both / one"}) {
			t.Errorf("outcome = %+v, %q, want the failure of the second branch and the first one cancelled", got.Outcome, at)
		}
		at = nil
		got, _ = outcomeOf(t, t.Context(), tests, `
resilience: {limit: 1}
steps: [{name: both, parallel: true, steps: [{name: one, handler: Sleep}, {name: two, handler: Boom, onError: continue}]}]`, "")
		if string(got.Output) != `{"one":"both / one","two":null}` {
			t.Errorf("outcome = %+v, want the output of the first branch", got.Outcome)
		}
		at = nil
		got, _ = outcomeOf(t, t.Context(), tests, `
resilience: {limit: 1}
steps: [{name: a, foreach: "${{ 1..100 }}", parallel: 3, as: n, steps: [{name: s, handler: Sleep, if: n != 2}, {name: x, handler: Boom, if: n == 2}]}]`, "")
		if !strings.Contains(got.Error, `element 2 of 100: step "a / x" (Boom): boom`) || len(at) != 4 {
			t.Errorf("outcome = %+v, %q, want two other iterations begun and cancelled", got.Outcome, at)
		}
	})
}

// A large loop shows how far it is and does not keep what nothing reads.
func TestProgressOfLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var run *workqueue.Run
		var seen []string
		tests := map[string]do{"Work": func(context.Context, *handlers.Call) (any, error) {
			time.Sleep(time.Second)
			seen = append(seen, run.ProgressNote().Progress)
			return nil, nil
		}}
		run = workqueue.NewRun(&workqueue.Item{ID: 1})
		got := NewEngine(EngineOptions{}).Run(t.Context(), parse(t, testCompiler(tests), `steps: [{foreach: "${{ 1..1240 }}", steps: [{handler: Work}]}]`), RunInput{Run: run})
		note := run.ProgressNote()
		if got.Verdict != workqueue.Succeeded || note.Progress != "1,240 of 1,240" || *note.Percent != 100 || seen[1239] != "1,239 of 1,240" {
			t.Errorf("progress = %q, %v after %q", note.Progress, *note.Percent, seen[1239])
		}
		if note.StepTimes != `[{"step":"block / Work","ms":1240000},{"step":"block","ms":1240000}]` {
			t.Errorf("times = %s", note.StepTimes)
		}
	})
}

func TestUses(t *testing.T) {
	tests := map[string]do{
		"Boom": func(context.Context, *handlers.Call) (any, error) { return nil, errors.New("boom") },
		"Key": func(_ context.Context, call *handlers.Call) (any, error) {
			return fmt.Sprint(call.Pipeline, "|", call.Step), nil
		},
	}
	k := projectOf(t, tests, map[string]string{
		"common/post-to-ledger": `
input: {type: object, required: [order], properties: {order: {type: integer}}}
steps:
  - {name: sign, handler: Echo, with: {value: "${{ payload.order * 2 }}"}}
  - {name: key, handler: Key, if: payload.order == 3}
  - {name: boom, handler: Boom, if: payload.order == 99}
  - {name: stop, handler: Break, if: payload.order == 5}
  - {name: more, handler: Echo, if: payload.order == 5, with: {value: 0}}`,
		"order": `
steps:
  - {name: sign, handler: Echo, with: {value: "${{ payload.order }}"}}
  - {name: post, uses: common/post-to-ledger, with: {order: "${{ steps.sign.output }}"}}
  - {name: last, handler: Echo, with: {value: "${{ {post: steps.post.output, input: input} }}"}}`,
		"many": `steps: [{name: all, foreach: "${{ [1, 3] }}", as: n, uses: post-to-ledger, with: {order: "${{ n }}"}}]`,
	})
	run := func(pipeline, payload string) (Result, *workqueue.Run) {
		run := workqueue.NewRun(&workqueue.Item{ID: 1, Payload: workqueue.JSONText(payload)})
		p, err := k.Resolve(pipeline)
		if err != nil {
			t.Fatal(err)
		}
		return NewEngine(EngineOptions{}).Run(t.Context(), p, RunInput{Run: run}), run
	}
	got, _ := run("order", `{"order": 7}`)
	if string(got.Output) != `{"input":14,"post":14}` {
		t.Errorf("outcome = %+v", got.Outcome)
	}
	if got.Steps[2].Name != "post / sign" {
		t.Errorf("steps = %+v, want post / sign after post", got.Steps)
	}
	if got, _ := run("order", `{"order": 5}`); string(got.Output) != `{"input":10,"post":10}` {
		t.Errorf("a break in the called pipeline: %+v, want the caller to continue", got.Outcome)
	}
	if got, _ := run("order", `{"order": 99}`); got.Error != `step "post / boom" (Boom): boom` || got.Step != "post / boom" {
		t.Errorf("a failure in the called pipeline: %+v", got.Outcome)
	}
	if got, _ := run("order", `{"order": "x"}`); got.Kind != workqueue.KindBusiness || !strings.Contains(got.Error, "payload.order") {
		t.Errorf("a wrong payload: %+v, want a business error", got.Outcome)
	}
	if got, _ := run("many", ``); string(got.Output) != `[2,"many|all[1] / key"]` {
		t.Errorf("calls in a loop: %+v", got.Outcome)
	}
	inline := `steps: [{uses: post-to-ledger, with: {order: 4}}]` + "\n"
	if got, _ := run(inline, ``); string(got.Output) != `8` {
		t.Errorf("an inline pipeline: %+v", got.Outcome)
	}
	if _, err := k.Resolve(`steps: [{uses: nothing}]` + "\n"); err == nil || !strings.Contains(err.Error(), `there is no pipeline "nothing"`) {
		t.Errorf("an inline pipeline that calls an unknown one: %v", err)
	}
}

// The hash of a run covers the pipelines that are called, and that of the text does not.
func TestRunHashCoversCallees(t *testing.T) {
	hashes := func(callee string) (string, string) {
		k := projectOf(t, nil, map[string]string{"a": `steps: [{uses: b}]`, "b": `steps: [{uses: c}]`, "c": callee})
		p, _ := k.Get("a")
		return p.Hash, p.RunHash
	}
	text, run := hashes(`steps: [{handler: Echo}]`)
	text2, run2 := hashes(`steps: [{handler: Echo, name: other}]`)
	if text != text2 || run == run2 || run == text {
		t.Errorf("hashes = %s, %s and %s, %s", text, run, text2, run2)
	}
}

func TestBrokenCalls(t *testing.T) {
	load := func(files map[string]string) (*Catalogue, string) {
		var list []File
		for _, name := range sortedKeys(files) {
			list = append(list, File{Path: name + ".yaml", Data: []byte(files[name])})
		}
		k, findings := Load(testCompiler(nil), list)
		return k, findings.Error()
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"cycle":      {map[string]string{"a": `steps: [{uses: b}]`, "b": `steps: [{uses: c}]`, "c": `steps: [{uses: a}]`}, "call one another without end: a -> b -> c -> a"},
		"itself":     {map[string]string{"a": `steps: [{uses: a}]`}, "without end: a -> a"},
		"unknown":    {map[string]string{"a": `steps: [{uses: bb-post}]`, "bb-past": `steps: [{handler: Echo}]`}, `a.yaml:1:16: steps[0].uses: there is no pipeline "bb-post" [unknown-pipeline]; did you mean "bb-past"?`},
		"broken":     {map[string]string{"a": `steps: [{uses: b}]`, "b": `steps: [{handler: Ech}]`, "d": `steps: [{uses: a}]`}, `d.yaml:1:16: steps[0].uses: the file of pipeline "a" has errors`},
		"trigger":    {map[string]string{"a": `steps: [{uses: b}]`, "b": "trigger: {every: 1m}\nsteps: [{handler: Echo}]"}, `pipeline "b" has a trigger`},
		"no payload": {map[string]string{"a": `steps: [{uses: b, with: {m: "${{ payload.m }}", n: x}}]`, "b": "input: {required: [n, o], properties: {n: {type: integer}, m: {type: integer}}}\nsteps: [{handler: Echo}]"}, `steps[0].with.n: the input of pipeline "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			k, findings := load(tt.files)
			if !strings.Contains(findings, tt.want) {
				t.Errorf("findings:\n%s\nwant %q", findings, tt.want)
			}
			var broken *BrokenPipelineError
			if _, err := k.Resolve("a"); !errors.As(err, &broken) {
				t.Errorf("Resolve = %v, want a *BrokenPipelineError", err)
			}
			fixed := k.Without(Broken{Name: "z", File: "z.yaml"})
			if fixed.BrokenPipeline("a") == nil {
				t.Error("without another file, the caller is no longer broken")
			}
		})
	}
}

// The keys of a called pipeline that count only for its own items are a warning at the call.
func TestIdleKeysOfCallee(t *testing.T) {
	k := projectOf(t, nil, map[string]string{"a": "steps: [{uses: b}, {uses: c}]", "b": "resilience: {limit: 1}\nchannel: x\nsteps: [{handler: Echo}]", "c": "steps: [{handler: Echo}]"})
	if got, want := k.Warnings().Error(), `pipelines/a.yaml:1:16: warning: steps[0].uses: channel, resilience of pipeline "b" does not apply to this call [no-effect]; write it in this file if it is needed`; got != want {
		t.Errorf("warnings:\n%s\nwant\n%s", got, want)
	}
}

// A few pipelines that call the next one several times would reach too many steps.
func TestManyCalls(t *testing.T) {
	var files []File
	for i := range 8 {
		text := "steps: [{handler: Echo}]"
		if i < 7 {
			text = fmt.Sprintf("steps: [%s]", strings.Repeat(fmt.Sprintf("{uses: p%d},", i+1), 5))
		}
		files = append(files, File{Path: fmt.Sprintf("p%d.yaml", i), Data: []byte(text)})
	}
	k, findings := Load(testCompiler(nil), files)
	if text := findings.Error(); !strings.Contains(text, "p1.yaml:1:16: steps[0].uses: the pipeline reaches more than 10000 steps through its calls [too-deep]") {
		t.Errorf("findings:\n%s", text)
	}
	if _, ok := k.Get("p3"); !ok {
		t.Error("a pipeline that reaches few steps is broken")
	}
}

// The bounds of nested blocks, and a hundred thousand iterations in little memory.
func TestDeepBlocks(t *testing.T) {
	nested := func(depth int) string {
		text := `{handler: Echo, with: {value: 1}}`
		for range depth {
			text = `{steps: [` + text + `]}`
		}
		return "steps: [" + text + "]"
	}
	if _, findings := testCompiler(nil).Parse("a.yaml", []byte(nested(mostNested))); len(findings) > 0 {
		t.Errorf("%d blocks: %v", mostNested, findings)
	}
	if _, findings := testCompiler(nil).Parse("a.yaml", []byte(nested(mostNested+1))); len(findings) != 1 || findings[0].Code != CodeTooDeep {
		t.Errorf("%d blocks: %v, want %s", mostNested+1, findings, CodeTooDeep)
	}
}

func TestManyIterations(t *testing.T) {
	list, err := json.Marshal(make([]int, 100_000))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := outcomeOf(t, t.Context(), map[string]do{"Nothing": func(context.Context, *handlers.Call) (any, error) { return nil, nil }},
		`steps: [{foreach: "${{ payload }}", collect: false, steps: [{name: a, handler: Nothing}, {name: b, handler: Nothing}]}]`, string(list))
	if got.Verdict != workqueue.Succeeded || len(got.Steps) != 3 {
		t.Errorf("outcome = %+v with %d steps, want 3", got.Outcome, len(got.Steps))
	}
}
