package docstest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue"
)

// probes make the checker list the keys that it knows at a position.
var probes = []struct{ document, heading, yaml string }{
	{"docs/pipelines.md", "The keys of a file", "qqqqqqqqqqqq: 1\n"},
	{"docs/pipelines.md", "The keys of a step", "steps: [{qqqqqqqqqqqq: 1}]\n"},
	{"docs/pipelines.md", "The keys of `retry`", "steps: [{retry: {qqqqqqqqqqqq: 1}}]\n"},
	{"docs/pipelines.md", "The keys of `batch`", "batch: {qqqqqqqqqqqq: 1}\n"},
	{"docs/pipelines.md", "The keys of `resilience`", "resilience: {qqqqqqqqqqqq: 1}\n"},
	{"docs/schedules.md", "The keys of `trigger`", "trigger: {qqqqqqqqqqqq: 1}\n"},
}

var validKeys = regexp.MustCompile(`unknown key "q+".*valid keys: (.*)`)

func TestPipelineKeys(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	for _, p := range probes {
		_, findings := compiler.Parse("probe.yaml", []byte(p.yaml))
		m := validKeys.FindStringSubmatch(findings.Error())
		if m == nil {
			t.Fatalf("the checker lists no keys: %v", findings)
		}
		sameSet(t, p.heading, read(t, p.document).under(t, p.heading).first(), strings.Split(m[1], ", "))
	}
}

// TestPipelineDefaults compares the defaults in the tables with those of a
// pipeline without the keys.
func TestPipelineDefaults(t *testing.T) {
	p, findings := pipelines.NewCompiler(registry(t), pipelines.Options{}).Parse("probe.yaml",
		[]byte("trigger: {every: 1m}\nsteps: [{handler: Log, with: {message: done}}]\n"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	d := workqueue.DefaultResilience()
	want := map[string]map[string]string{
		"The keys of a file": {"name": "the file's name without its extension"},
		"The keys of a step": {"onError": string(p.Steps[0].OnError)},
		"The keys of `trigger`": {
			"overlap": string(p.Trigger.Overlap), "scope": string(p.Trigger.Scope), "dst": string(p.Trigger.DST),
			"atStart": fmt.Sprint(p.Trigger.AtStart), "wake": fmt.Sprint(p.Trigger.Wake),
		},
		"The keys of `resilience`": {
			"limit": fmt.Sprint(d.Limit), "delay": brief(time.Duration(d.Delay)), "factor": fmt.Sprint(d.Factor), "maxDelay": brief(time.Duration(d.MaxDelay)),
			"jitter": fmt.Sprint(*d.Jitter), "retryOn": strings.ReplaceAll(fmt.Sprint(d.RetryOn), " ", ", "),
		},
	}
	for _, probe := range probes {
		for _, r := range read(t, probe.document).under(t, probe.heading).rows {
			if text, ok := want[probe.heading][code(r.cells[0])]; ok && code(r.cells[1]) != text {
				t.Errorf("%s line %d: the default of %s is %s, want %s", probe.document, r.line, r.cells[0], r.cells[1], text)
			}
		}
	}
}

// TestExpressionVariables compiles every variable of the table, in a loop that runs
// after the steps, and checks that none is missing.
func TestExpressionVariables(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	const steps = "vars: {NAME: 1}\nsteps: [{name: NAME, foreach: [1], handler: Log, with: {message: one}}]\n"
	findings := func(list, key, expression string) string {
		_, findings := compiler.Parse("probe.yaml", fmt.Appendf(nil, "%s%s: [{%shandler: Log, with: {message: '${{ %s }}'}}]\n", steps, list, key, expression))
		if len(findings) == 0 {
			return ""
		}
		return findings.Error()
	}
	var roots, itemFields []string
	for _, name := range read(t, "docs/pipelines.md").under(t, "Variables").first() {
		if found := findings("finally", "foreach: [1], ", name); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		base, field, _ := strings.Cut(name, ".")
		if base == "item" && field != "" {
			itemFields = append(itemFields, field)
		}
		if !slices.Contains(roots, base) {
			roots = append(roots, base)
		}
	}
	hint := func(expression string) []string {
		found := findings("onSuccess", "", expression)
		_, list, ok := strings.Cut(found, "the variables are ")
		if !ok {
			_, list, _ = strings.Cut(found, "it has ")
		}
		return strings.Split(list, ", ")
	}
	sameSet(t, "variables", roots, append(hint("qqqqqqqqqqqqqqq"), "each", "attempt", "error")) // the hint lists those of every place
	sameSet(t, "fields of item", itemFields, hint("item.qqqqqqqqqqqqqqq"))
}

// TestOutcomes runs the step of each row and compares the result of the run, and
// the status of an item with the default policy.
func TestOutcomes(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	engine := pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})
	verdicts := map[workqueue.Verdict]string{
		workqueue.Succeeded: "succeeded", workqueue.Snoozed: "snoozed", workqueue.Dropped: "dropped",
	}
	for _, r := range read(t, "docs/pipelines.md").under(t, "What a run results in").rows {
		p, findings := compiler.Parse("probe.yaml", []byte("steps: ["+code(r.cells[0])+"]\n"))
		if len(findings) > 0 {
			t.Errorf("line %d: %v", r.line, findings)
			continue
		}
		result := engine.Run(t.Context(), p, pipelines.RunInput{Run: workqueue.NewRun(&workqueue.Item{})})
		run := verdicts[result.Verdict]
		if result.Verdict == workqueue.Failed {
			run = "failed: " + string(result.Kind)
		}
		item := statusAfter(result, workqueue.DefaultResilience())
		if run != r.cells[1] || item != r.cells[2] {
			t.Errorf("line %d: %s: %s, %s; documented %s, %s", r.line, r.cells[0], run, item, r.cells[1], r.cells[2])
		}
	}
}

// TestRetriedKinds runs the step of each row and compares the status of an item
// with the row's policy.
func TestRetriedKinds(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	engine := pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})
	for _, r := range read(t, "docs/pipelines.md").under(t, "Which failures are retried").rows {
		p, findings := compiler.Parse("probe.yaml", []byte("resilience: "+code(r.cells[1])+"\nsteps: ["+code(r.cells[0])+"]\n"))
		if len(findings) > 0 {
			t.Errorf("line %d: %v", r.line, findings)
			continue
		}
		result := runWithin(t.Context(), engine, p)
		item := statusAfter(result, p.Resilience.Or(workqueue.DefaultResilience()))
		if item != r.cells[2] {
			t.Errorf("line %d: %s with %s: %s, documented %s", r.line, r.cells[0], r.cells[1], item, r.cells[2])
		}
	}
}

// statusAfter returns the status of an item after its first run, and whether
// the run was counted if the item runs again.
func statusAfter(result pipelines.Result, policy workqueue.Resilience) string {
	waits := func(failures int) string {
		return string(workqueue.StatusOf(workqueue.LifecycleOf(workqueue.Ready, failures, false, false), nil))
	}
	switch {
	case result.Verdict == workqueue.Succeeded:
		return string(workqueue.StatusOf(workqueue.LifeCompleted, nil))
	case result.Verdict == workqueue.Dropped:
		return string(workqueue.StatusOf(workqueue.LifeDeleted, nil))
	case result.Verdict == workqueue.Snoozed, result.Uncounted:
		return waits(0) + ", uncounted"
	case policy.Retries(result.Kind, 1):
		return waits(1) + ", counted"
	}
	return string(workqueue.StatusOf(workqueue.LifeArchived, &result.Kind))
}

// runWithin runs a pipeline once, with the time limit of its policy, like a worker.
func runWithin(ctx context.Context, engine *pipelines.Engine, p *pipelines.Pipeline) pipelines.Result {
	if bound := time.Duration(p.Resilience.Timeout); bound > 0 {
		limited, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(bound, func() { cancel(&workqueue.TimeLimitError{Limit: bound}) })
		defer timer.Stop()
		ctx = limited
	}
	return engine.Run(ctx, p, pipelines.RunInput{})
}

// counter is a handler that always fails and counts its calls.
type counter struct{ calls *int }

func (c *counter) Handle(context.Context, *handlers.Call) (any, error) {
	*c.calls++
	return nil, errors.New("always")
}

// TestAttempts runs an item that always fails through the attempts of the step and of
// the item in each row, counts the handler's calls and measures the waits without
// jitter; with jitter a wait is at most a tenth longer.
func TestAttempts(t *testing.T) {
	for _, r := range read(t, "docs/pipelines.md").under(t, "A step's retry and the item's").rows {
		synctest.Test(t, func(t *testing.T) {
			retry := ""
			if r.cells[0] != "none" {
				retry = ", retry: " + strings.TrimSuffix(code(r.cells[0]), "}") + ", jitter: 0}"
			}
			calls := 0
			registry := handlers.NewRegistry()
			registry.MustRegister(handlers.Kind{Name: "Count", New: func() handlers.Handler { return &counter{&calls} }})
			p, findings := pipelines.NewCompiler(registry, pipelines.Options{}).Parse("probe.yaml",
				fmt.Appendf(nil, "resilience: %s\nsteps: [{handler: Count%s}]\n", code(r.cells[1]), retry))
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			engine := pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})
			policy := p.Resilience.Or(workqueue.DefaultResilience())
			var inSlots, between time.Duration
			for failures := 1; ; failures++ {
				started := time.Now() // the handler takes no time: all time is waiting
				result := runWithin(t.Context(), engine, p)
				inSlots += time.Since(started)
				if !policy.Retries(result.Kind, failures) {
					break
				}
				between += policy.Backoff(failures, 0.5) // the middle of the range: no jitter
			}
			most := inSlots + inSlots/10 + between + between/10
			if p.Resilience.Timeout > 0 {
				most = inSlots + between + between/10 // the timeout has no jitter
			}
			got := []string{fmt.Sprint(calls), brief(inSlots), brief(between), brief(most)}
			if want := r.cells[2:]; !slices.Equal(got, want) {
				t.Errorf("line %d: %s, %s: %q, documented %q", r.line, r.cells[0], r.cells[1], got, want)
			}
		})
	}
}

func brief(d time.Duration) string { return handlers.Duration(d).String() }

// TestBackoff computes the waits of the table in docs/items.md.
func TestBackoff(t *testing.T) {
	for _, r := range read(t, "docs/items.md").under(t, "Failures and retries").rows {
		policy, err := workqueue.ParseResilience(workqueue.JSONText(code(r.cells[0])))
		if err != nil {
			t.Errorf("line %d: %v", r.line, err)
			continue
		}
		policy = policy.Or(workqueue.DefaultResilience())
		var waits []string
		for failures := 1; policy.Retries(workqueue.KindError, failures); failures++ {
			wait := policy.Backoff(failures, 0.5) // the middle of the range: no jitter
			waits = append(waits, handlers.Duration(wait.Round(time.Second)).String())
		}
		got := strings.Join(waits, ", ")
		if got == "" {
			got = "none"
		}
		if got != r.cells[1] {
			t.Errorf("line %d: %s waits %s, documented %s", r.line, r.cells[0], got, r.cells[1])
		}
	}
}
