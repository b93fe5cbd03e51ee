package pipelines

import (
	"context"
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

	"github.com/rs/zerolog"
)

// memory is a StepKeeper that keeps the records in memory.
type memory struct {
	mu      sync.Mutex
	records []workqueue.StepRecord
	lost    bool // the claim is lost
}

func (m *memory) Load(context.Context) ([]workqueue.StepRecord, error) {
	return slices.Clone(m.records), nil
}

func (m *memory) Save(_ context.Context, steps ...workqueue.StepRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost {
		return workqueue.ErrLeaseLost
	}
	for _, s := range steps {
		if at := slices.IndexFunc(m.records, func(r workqueue.StepRecord) bool { return r.Step == s.Step }); at >= 0 {
			m.records[at] = s
		} else {
			m.records = append(m.records, s)
		}
	}
	return nil
}

func (m *memory) Drop(context.Context) error { m.records = nil; return nil }

// attempts runs the attempts of one item.
type attempts struct {
	*testing.T
	memory
	log   strings.Builder
	fence int64
	ran   []string
	fails map[string]int // how often a step fails, by its name in calls
	right chan struct{}  // closed when the right branch has been called; the left one waits for it
}

// attempt runs the next attempt, and returns what was called in it.
func (a *attempts) attempt(k *Catalogue, name, payload string) (Result, string) {
	a.Helper()
	a.fence++
	a.ran = nil
	p, err := k.Resolve(name)
	if err != nil {
		a.Fatal(err)
	}
	run := workqueue.NewRun(&workqueue.Item{ID: 1, Fence: a.fence, Payload: workqueue.JSONText(payload)})
	run.Steps = &a.memory
	engine := NewEngine(EngineOptions{Secrets: map[string]string{"apiKey": "hidden-value"}, Log: zerolog.New(&a.log)})
	got := engine.Run(a.Context(), p, RunInput{Run: run})
	slices.Sort(a.ran)
	return got, strings.Join(a.ran, " ")
}

// work is a handler that records its call and fails as often as fails says.
func (a *attempts) work(_ context.Context, call *handlers.Call) (any, error) {
	switch call.Step {
	case "both / right":
		close(a.right)
	case "both / left / two":
		<-a.right
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ran = append(a.ran, call.Step)
	if a.fails[call.Step] > 0 {
		a.fails[call.Step]--
		return nil, errors.New("boom")
	}
	return fmt.Sprint(call.Step, "@", a.fence), nil
}

func (a *attempts) kinds() map[string]do {
	return map[string]do{
		"Work": a.work,
		"Now": func(context.Context, *handlers.Call) (any, error) {
			return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), nil
		},
	}
}

func TestResume(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		fails      map[string]int
		callee     string
		attempts   []string // the calls of each attempt
		output     string   // of the last one
	}{
		{
			name: "at the step that failed, with what the steps before have given",
			text: `
steps:
  - {name: a, handler: Work}
  - {name: skipped, handler: Work, if: "false"}
  - {name: b, handler: Work, onError: continue}
  - {name: at, handler: Now}
  - {name: c, handler: Work}
  - {name: d, handler: Echo, with: {value: "${{ [steps.a.output, steps.skipped.skipped, steps.b.error, steps.at.output.Year(), input] }}"}}`,
			fails: map[string]int{"b": 1, "c": 2}, attempts: []string{"a b c", "c", "c"}, output: `["a@1",true,"boom",2026,"c@3"]`,
		},
		{
			name: "inside of a block and of a branch",
			text: `
steps:
  - name: post
    steps: [{name: a, handler: Work}, {name: b, handler: Work}]
  - name: both
    parallel: true
    steps:
      - {name: left, steps: [{name: one, handler: Work}, {name: two, handler: Work}]}
      - {name: right, handler: Work}
  - {name: last, handler: Echo, with: {value: "${{ [steps.post.output, steps.both.output] }}"}}`,
			fails: map[string]int{"post / b": 1, "both / left / two": 1}, attempts: []string{"post / a post / b", "both / left / one both / left / two both / right post / b", "both / left / two"},
			output: `["post / b@2",{"left":"both / left / two@3","right":"both / right@2"}]`,
		},
		{
			name:  "at the iteration that failed",
			text:  `steps: [{name: all, foreach: [0, 1, 2, 3], steps: [{name: a, handler: Work}]}]`,
			fails: map[string]int{"all[2] / a": 1}, attempts: []string{"all[0] / a all[1] / a all[2] / a", "all[2] / a all[3] / a"},
			output: `["all[0] / a@1","all[1] / a@1","all[2] / a@2","all[3] / a@2"]`,
		},
		{
			name: "a loop that has failed elements ends well",
			text: `
steps:
  - {name: all, foreach: [0, 1], onError: continue, handler: Work}
  - {name: b, handler: Work}
  - {name: c, handler: Echo, with: {value: "${{ [map(steps.all.errors, .index), steps.all.output] }}"}}`,
			fails: map[string]int{"all[0]": 1, "b": 1}, attempts: []string{"all[0] all[1] b", "b"}, output: `[[0],[null,"all[1]@1"]]`,
		},
		{
			name: "in a called pipeline",
			text: `steps: [{name: post, uses: callee, with: {n: 1}}, {name: b, handler: Work}]`, callee: `steps: [{name: x, handler: Work}, {name: y, handler: Work}]`,
			fails: map[string]int{"post / y": 1, "b": 1}, attempts: []string{"post / x post / y", "b post / y", "b"}, output: `"b@3"`,
		},
		{
			name:  "an output with a secret is not kept",
			text:  `steps: [{name: a, handler: Work}, {name: s, handler: Echo, with: {text: "x ${{ secrets.apiKey }}"}}, {name: b, handler: Work}, {name: c, handler: Work}]`,
			fails: map[string]int{"c": 1}, attempts: []string{"a b c", "b c"}, output: `"c@2"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &attempts{T: t, fails: tt.fails, right: make(chan struct{})}
			files := map[string]string{"main": "resume: true\n" + strings.TrimPrefix(tt.text, "\n")}
			if tt.callee != "" {
				files["callee"] = tt.callee
			}
			k := projectOf(t, a.kinds(), files)
			var got Result
			for i, want := range tt.attempts {
				var ran string
				if got, ran = a.attempt(k, "main", `{"n": 1}`); ran != want {
					t.Errorf("attempt %d called %s, want %s", i+1, ran, want)
				}
				if failed := got.Verdict == workqueue.Failed; failed != (i+1 < len(tt.attempts)) {
					t.Errorf("attempt %d: %+v", i+1, got.Outcome)
				}
			}
			if string(got.Output) != tt.output {
				t.Errorf("output = %s, want %s", got.Output, tt.output)
			}
			for _, r := range a.records {
				if strings.Contains(string(r.Data), "hidden-value") {
					t.Errorf("a secret is recorded: %s", r.Data)
				}
			}
		})
	}
}

// The steps of finally run after each attempt, also those in blocks.
func TestResumeDoesNotKeepFinally(t *testing.T) {
	a := &attempts{T: t, fails: map[string]int{"b": 1}}
	k := projectOf(t, a.kinds(), map[string]string{"main": "resume: true\nsteps: [{name: b, handler: Work}]\nfinally: [{name: close, steps: [{name: one, handler: Work}]}]"})
	a.attempt(k, "main", ``)
	if _, ran := a.attempt(k, "main", ``); ran != "b finally / close / one" || len(a.records) != 1 {
		t.Errorf("called %s with %d records, want b, finally / close / one and one record", ran, len(a.records))
	}
	if _, ran := a.attempt(k, "main", ``); ran != "finally / close / one" {
		t.Errorf("called %s after an attempt whose end was not written, want finally / close / one", ran)
	}
}

// Steps are kept up to the first one whose definition has changed; another payload begins again.
func TestResumeAfterChange(t *testing.T) {
	text := `
resume: true
vars: {v: 1}
steps:
  - {name: a, handler: Work}
  - {name: b, handler: Work, with: {}}
  - {name: c, handler: Work}
  - {name: d, handler: Work}`
	for name, tt := range map[string]struct{ from, to, payload, want string }{
		"nothing":         {"", "", `1`, "d"},
		"a comment":       {"vars:", "# note\nvars:", `1`, "d"},
		"a step":          {"name: b, handler: Work", "name: b, timeout: 5s, handler: Work", `1`, "b c d"},
		"a new step":      {"  - {name: b", "  - {name: new, handler: Work}\n  - {name: b", `1`, "b c d new"},
		"a removed step":  {"  - {name: b, handler: Work, with: {}}\n", "", `1`, "d"},
		"a variable":      {"v: 1", "v: 2", `1`, "a b c d"},
		"another payload": {"", "", `2`, "a b c d"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &attempts{T: t, fails: map[string]int{"d": 1}}
			a.attempt(projectOf(t, a.kinds(), map[string]string{"main": text}), "main", `1`)
			k := projectOf(t, a.kinds(), map[string]string{"main": strings.Replace(text, tt.from, tt.to, 1)})
			if _, ran := a.attempt(k, "main", tt.payload); ran != tt.want {
				t.Errorf("called %s, want %s", ran, tt.want)
			}
		})
	}
}

// What is too large is dropped with a warning, and the next attempt begins again. A lost claim records
// nothing, and the run goes on.
func TestResumeBounds(t *testing.T) {
	text := "resume: true\nsteps: [{name: a, handler: Work}, {name: big, handler: Big}, {name: c, handler: Work}]"
	a := &attempts{T: t, fails: map[string]int{"c": 1}}
	kinds := a.kinds()
	kinds["Big"] = func(context.Context, *handlers.Call) (any, error) { return strings.Repeat("x", 1<<20), nil }
	k := projectOf(t, kinds, map[string]string{"main": text})
	a.attempt(k, "main", ``)
	if !strings.Contains(a.log.String(), "too large to be kept; the next attempt starts at the first step") || len(a.records) > 0 {
		t.Errorf("%d records, log: %s", len(a.records), a.log.String())
	}
	if _, ran := a.attempt(k, "main", ``); ran != "a c" {
		t.Errorf("called %s, want a c", ran)
	}
	b := &attempts{T: t, memory: memory{lost: true}}
	if got, _ := b.attempt(projectOf(t, b.kinds(), map[string]string{"main": "resume: true\nsteps: [{name: a, handler: Work}]"}), "main", ``); got.Verdict != workqueue.Succeeded {
		t.Errorf("outcome = %+v", got.Outcome)
	}
	if len(b.records) > 0 {
		t.Errorf("records = %v", b.records)
	}
}

// A long loop records its iterations while it runs, so that a killed worker loses at most those of a second.
func TestResumeLoopAfterKill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &attempts{T: t}
		kinds := a.kinds()
		kinds["Sleep"] = func(ctx context.Context, call *handlers.Call) (any, error) {
			a.mu.Lock()
			a.ran = append(a.ran, call.Step)
			a.mu.Unlock()
			time.Sleep(300 * time.Millisecond)
			return nil, nil
		}
		k := projectOf(t, kinds, map[string]string{"main": "resume: true\nsteps: [{name: all, foreach: \"${{ 0..99 }}\", parallel: 3, handler: Sleep}]"})
		done := make(chan struct{})
		go func() { defer close(done); a.attempt(k, "main", ``) }()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		a.mu.Lock()
		killed := slices.Clone(a.records) // as the database has them when the worker dies
		a.mu.Unlock()
		<-done
		a.records = killed
		got, ran := a.attempt(k, "main", ``)
		again := len(strings.Fields(ran))
		if got.Verdict != workqueue.Succeeded || again > 100-39 || again < 100-51 {
			t.Errorf("%d iterations ran again after 5 s, want those of the last second and the rest; %+v", again, got.Outcome)
		}
	})
}
