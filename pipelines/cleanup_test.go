package pipelines

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

func TestVars(t *testing.T) {
	for name, tt := range map[string]struct{ text, payload, want, wrong string }{
		"in order, once": {
			text:    "vars: {base: \"${{ payload.n }}\", twice: \"${{ vars.base * 2 }}\", all: [\"${{ vars.twice }}\", x]}\nsteps: [{handler: Echo, with: {value: \"${{ vars }}\"}}]",
			payload: `{"n": 2}`, want: `{"all":[4,"x"],"base":2,"twice":4}`,
		},
		"a failure is permanent, before the first step": {
			text:    "vars: {n: \"${{ payload.a.b }}\"}\nsteps: [{name: never, handler: Echo}]",
			payload: `{}`, wrong: `vars.n (test.yaml:1:`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := outcomeOf(t, t.Context(), nil, tt.text, tt.payload)
			if tt.wrong != "" {
				if got.Kind != workqueue.KindPermanent || !strings.Contains(got.Error, tt.wrong) || len(got.Steps) > 0 {
					t.Errorf("outcome = %+v with the steps %v, want a permanent failure %q", got.Outcome, got.Steps, tt.wrong)
				}
			} else if string(got.Output) != tt.want {
				t.Errorf("outcome = %+v, want %s", got.Outcome, tt.want)
			}
		})
	}
}

// afterwards is a pipeline whose steps after the others report what they see.
const afterwards = `
resilience: {limit: 2, timeout: 1m}
steps:
  - {name: open, handler: Echo, with: {value: handle}}
  - {name: work, handler: Work}
onSuccess:
  - {name: praise, handler: Note, with: {value: "${{ ['success', attempt, steps.open.output] }}"}}
onFailure:
  - {name: blame, handler: Note, with: {value: "${{ ['failure', error.kind, error.step, error.final, error.text contains 'boom', attempt] }}"}}
finally:
  - {name: close, handler: Note, with: {value: "${{ ['finally', steps.open.output, error?.kind] }}"}}
`

// noted runs the pipeline afterwards, and returns what its last steps have reported.
func noted(t *testing.T, ctx context.Context, run *workqueue.Run, text string, work do) (Result, string) {
	t.Helper()
	var notes []string
	r := handlers.NewRegistry()
	r.MustRegister(
		handlers.Kind{Name: "Echo", New: func() handlers.Handler { return &echo{} }},
		handlers.Kind{Name: "Work", New: func() handlers.Handler { return work }},
		handlers.Kind{Name: "Note", New: func() handlers.Handler { return &note{to: &notes} }},
	)
	p := parse(t, NewCompiler(r, Options{}), text)
	got := NewEngine(EngineOptions{}).Run(ctx, p, RunInput{Run: run})
	return got, strings.Join(notes, " ")
}

// note records its value.
type note struct {
	echo
	to *[]string
}

func (n *note) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, err := jsonText(n.Value)
	*n.to = append(*n.to, text)
	return nil, err
}

func TestAfterwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		item := func(failed int) *workqueue.Run {
			return workqueue.NewRun(&workqueue.Item{ID: 1, RetryCount: failed})
		}
		boom := errors.New("boom")
		for _, tt := range []struct {
			name    string
			failed  int
			work    do
			verdict workqueue.Verdict
			want    string
		}{
			{"success", 0, func(context.Context, *handlers.Call) (any, error) { return "done", nil }, workqueue.Succeeded, `["success",1,"handle"] ["finally","handle",null]`},
			{"failure", 0, func(context.Context, *handlers.Call) (any, error) { return nil, boom }, workqueue.Failed, `["failure","error","work",false,true,1] ["finally","handle","error"]`},
			{"the last failure", 1, func(context.Context, *handlers.Call) (any, error) { return nil, boom }, workqueue.Failed, `["failure","error","work",true,true,2] ["finally","handle","error"]`},
			{"a permanent failure", 0, func(context.Context, *handlers.Call) (any, error) { return nil, handlers.Permanent(boom) }, workqueue.Failed, `["failure","permanent","work",true,true,1] ["finally","handle","permanent"]`},
			{"a snooze", 0, func(context.Context, *handlers.Call) (any, error) { return nil, handlers.Snooze(time.Hour, "later") }, workqueue.Snoozed, `["finally","handle",null]`},
		} {
			got, notes := noted(t, t.Context(), item(tt.failed), afterwards, tt.work)
			if got.Verdict != tt.verdict || notes != tt.want {
				t.Errorf("%s: %+v, %s\nwant %s", tt.name, got.Outcome, notes, tt.want)
			}
			if tt.verdict == workqueue.Succeeded && string(got.Output) != `"done"` {
				t.Errorf("output = %s, want that of the steps", got.Output)
			}
		}
		// The context has ended: a timeout, a drain, a lost lease.
		for cause, want := range map[error]string{
			&workqueue.TimeLimitError{Limit: time.Minute}: `["failure","timeout","work",false,false,1] ["finally","handle","timeout"]`,
			workqueue.ErrDraining:                         `["finally","handle","released"]`,
			workqueue.ErrLeaseLost:                        ``,
		} {
			for _, result := range []error{context.Canceled, nil, handlers.Permanent(boom)} { // the step notices it, or ends by itself
				ctx, cancel := context.WithCancelCause(t.Context())
				got, notes := noted(t, ctx, item(0), afterwards, func(ctx context.Context, _ *handlers.Call) (any, error) {
					cancel(cause)
					<-ctx.Done()
					return "done", result
				})
				if errors.Is(result, context.Canceled) && notes != want {
					t.Errorf("%v: %s\nwant %s", cause, notes, want)
				}
				if errors.Is(cause, workqueue.ErrLeaseLost) && (notes != "" || got.Verdict != workqueue.Released || got.Output != "") {
					t.Errorf("%v, and the step returns %v: %+v, %s; want it released: nothing of finally has run", cause, result, got.Outcome, notes)
				}
			}
		}
	})
}

// A step that fails afterwards changes no outcome; it is in the error of a failed run, and in the log.
// cleanupTimeout and a lost lease end the steps.
func TestAfterwardsFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const text = `
resilience: {limit: 1}
cleanupTimeout: 30s
steps: [{name: work, handler: Work, with: {}}]
finally: [{name: hang, handler: Work}, {name: never, handler: Note}]
`
		calls := 0
		work := func(fails bool) do {
			calls = 0
			return func(ctx context.Context, _ *handlers.Call) (any, error) {
				if calls++; calls == 1 && fails {
					return nil, errors.New("boom")
				} else if calls == 1 {
					return "done", nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}
		began := time.Now()
		run := workqueue.NewRun(&workqueue.Item{ID: 1})
		got, notes := noted(t, t.Context(), run, text, work(true))
		if want := `step "work" (Work): boom` + "\n" + `step "finally / hang" (Work): context deadline exceeded`; got.Error != want || notes != "" {
			t.Errorf("error = %q, %s, want %q", got.Error, notes, want)
		}
		if took := time.Since(began); took != 30*time.Second || run.CleansUp(time.Now()) {
			t.Errorf("took %v, cleans up: %t; want 30s and no longer", took, run.CleansUp(time.Now()))
		}
		if got, _ := noted(t, t.Context(), run, text, work(false)); got.Verdict != workqueue.Succeeded || got.Error != "" {
			t.Errorf("outcome = %+v, want success", got.Outcome)
		}
		run.OnLeaseLost = func(stop func()) { time.AfterFunc(5*time.Second, stop) }
		for _, fails := range []bool{true, false} {
			began = time.Now()
			got, _ := noted(t, t.Context(), run, text, work(fails))
			if took := time.Since(began); took != 5*time.Second || got.Verdict != workqueue.Released || got.Output != "" {
				t.Errorf("a lease that is lost meanwhile: took %v, %+v; want 5s, and released", took, got.Outcome)
			}
		}
	})
}

// A called pipeline cleans up after itself.
func TestCalleeCleansUp(t *testing.T) {
	k := projectOf(t, map[string]do{"Boom": func(context.Context, *handlers.Call) (any, error) { return nil, errors.New("boom") }}, map[string]string{
		"callee": "steps: [{handler: Boom}]\nonFailure: [{name: undo, handler: Echo, if: error.step == \"post / Boom\"}]\nfinally: [{name: close, handler: Echo}]",
		"caller": "resilience: {limit: 1}\nsteps: [{name: post, uses: callee}]",
	})
	p, _ := k.Get("caller")
	got := NewEngine(EngineOptions{}).Run(t.Context(), p, RunInput{Run: workqueue.NewRun(&workqueue.Item{ID: 1})})
	var steps []string
	for _, s := range got.Steps {
		steps = append(steps, s.Name+" "+string(s.Status))
	}
	if want := "post failed, post / Boom failed, post / onFailure / undo done, post / finally / close done"; strings.Join(steps, ", ") != want || got.Step != "post / Boom" {
		t.Errorf("steps = %s, want %s; %+v", strings.Join(steps, ", "), want, got.Outcome)
	}
}

// A called pipeline whose finally does not run, because the lease is lost, has not ended: nor has the step
// that calls it.
func TestCalleeLosesTheLease(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	k := projectOf(t, map[string]do{"Lose": func(context.Context, *handlers.Call) (any, error) {
		cancel(workqueue.ErrLeaseLost)
		return "done", nil
	}}, map[string]string{
		"callee": "steps: [{handler: Lose}]\nfinally: [{name: close, handler: Echo}]",
		"caller": "steps: [{name: post, uses: callee}]",
	})
	p, _ := k.Get("caller")
	got := NewEngine(EngineOptions{}).Run(ctx, p, RunInput{Run: workqueue.NewRun(&workqueue.Item{ID: 1})})
	if got.Verdict != workqueue.Released || got.Output != "" || got.Steps[0].Status != StepFailed {
		t.Errorf("outcome %+v, steps %+v; want it released", got.Outcome, got.Steps)
	}
}
