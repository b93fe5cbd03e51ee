package queue_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/workqueue/matching"
)

func TestAssignDistribution(t *testing.T) {
	for _, test := range []struct {
		name string
		with map[string]any
		want matching.Distribution
	}{
		{"nothing said", nil, matching.Distribution{Mode: matching.LeastLoaded, BypassSelectors: new(false)}},
		{"everything", map[string]any{
			"mode": "best-worker", "bypassSelectors": true,
			"scoring": map[string]any{"rule": "map", "label": "skill", "scores": map[string]any{"expert": 10}, "descending": false},
		}, matching.Distribution{Mode: matching.BestWorker, BypassSelectors: new(true), Scoring: &matching.Scoring{
			Rule: matching.MapRule, Label: "skill", Scores: map[string]float64{"expert": 10}, Ascending: true,
		}}},
		{"a scoring for queues that choose best-worker", map[string]any{"scoring": map[string]any{"rule": "static", "score": 0.5}},
			matching.Distribution{Mode: matching.LeastLoaded, BypassSelectors: new(false), Scoring: &matching.Scoring{Rule: matching.StaticRule, Score: 0.5}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &fakeWorker{}
			if _, err := run(t, queue.Services{Worker: func() queue.Worker { return w }}, "AssignTasksToWorker", test.with, handlers.Call{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, w.assigned[0].Distribution); diff != "" {
				t.Errorf("distribution (-want +got):\n%s", diff)
			}
		})
	}
}

// The rules of a pass can use the secrets, and write to the log of the step.
func TestAssignMakesRules(t *testing.T) {
	w := &fakeWorker{}
	var log bytes.Buffer
	s := queue.Services{
		Worker:  func() queue.Worker { return w },
		Secrets: func(name string) (string, bool) { return "hunter2", name == "scorer" },
	}
	if _, err := run(t, s, "AssignTasksToWorker", nil, handlers.Call{Log: zerolog.New(&log)}); err != nil {
		t.Fatal(err)
	}
	newRule := w.assigned[0].NewRule
	log.Reset()
	http := func(secret string) matching.Scoring {
		return matching.Scoring{Rule: matching.HTTPRule, HTTP: &matching.HTTPScoring{
			URL: "http://127.0.0.1:0", Timeout: time.Second, Fallback: new(-1.0), Headers: map[string]matching.Header{"X-Token": {Secret: secret}},
		}}
	}
	rule, err := newRule(http("scorer"))
	if err != nil {
		t.Fatal(err)
	}
	scores, err := rule.Scores(t.Context(), matching.Job{}, []matching.Labels{{}})
	if err != nil || !slices.Equal(scores, []float64{-1}) || log.Len() == 0 {
		t.Errorf("scores = %v, %v, logged %q; want the fallback and a line", scores, err, &log)
	}
	if _, err := newRule(http("other")); err == nil {
		t.Error("a rule with a secret that is not there was made")
	}
}

func TestDistributionRejectsWrongParameters(t *testing.T) {
	for _, test := range []struct {
		with map[string]any
		want []handlers.ParamError
	}{
		{map[string]any{"mode": "best"}, []handlers.ParamError{
			{Path: []string{"mode"}, Code: handlers.WrongValue, Message: `got "best", want one of least-loaded, round-robin, longest-idle, best-worker`,
				Hint: `did you mean "best-worker"?`},
		}},
		{map[string]any{"scoring": map[string]any{"rule": "map", "scorse": map[string]any{"a": 1}, "label": "a b"}}, []handlers.ParamError{
			{Path: []string{"scoring", "label"}, Code: handlers.WrongValue,
				Message: `got "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters`},
			{Path: []string{"scoring", "scorse"}, Code: handlers.UnknownParameter,
				Message: `unknown key "scorse"; valid keys: rule, score, cases, label, scores, expression, http, batch, batchSize, descending, send`},
			{Path: []string{"scoring"}, Code: handlers.WrongValue, Message: `the key "scores" is missing; the rule map needs it`},
		}},
		{map[string]any{"scoring": map[string]any{"rule": "expression", "expression": "wroker.ram"}}, []handlers.ParamError{
			{Path: []string{"scoring", "expression"}, Code: handlers.WrongValue, Message: "unknown name wroker (line 1, column 1); valid names: worker, job, selectors"},
		}},
	} {
		k, _ := registry(queue.Services{}).Lookup("AssignTasksToWorker")
		_, err := k.Build(test.with)
		wrong, ok := errors.AsType[*handlers.ParamErrors](err)
		if !ok {
			t.Errorf("%v: error = %v, want parameter errors", test.with, err)
			continue
		}
		slices.SortStableFunc(wrong.List, func(a, b handlers.ParamError) int { return -slices.Compare(a.Path, b.Path) })
		slices.SortStableFunc(test.want, func(a, b handlers.ParamError) int { return -slices.Compare(a.Path, b.Path) })
		if diff := cmp.Diff(test.want, wrong.List, cmpopts.IgnoreFields(handlers.ParamError{}, "Known", "Suggestion", "Certain", "ExpectedText")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.with, diff)
		}
	}
}

func TestEnqueueLabels(t *testing.T) {
	items := &fakeItems{}
	with := map[string]any{
		"pipeline": "render", "items": []any{1, 2}, "labels": map[string]any{"language": "french", "size": 3, "urgent": true},
		"selectors": []any{"ram >= 32", map[string]any{"key": "Id", "operator": "equal", "value": 7, "expiresAfter": "45s", "expedite": true}},
	}
	if _, err := run(t, queue.Services{Store: func() queue.Enqueuer { return items }}, "Enqueue", with, handlers.Call{}); err != nil {
		t.Fatal(err)
	}
	wantLabels := matching.Labels{"language": matching.Text("french"), "size": matching.Number(3), "urgent": matching.Bool(true)}
	wantSelectors := []matching.Selector{
		{Key: "ram", Operator: matching.GreaterThanOrEqual, Value: matching.Number(32)},
		{Key: "Id", Operator: matching.Equal, Value: matching.Number(7), ExpiresAfter: 45 * time.Second, Expedite: true},
	}
	for _, it := range items.items {
		if diff := cmp.Diff(wantLabels, it.Labels) + cmp.Diff(wantSelectors, it.Selectors); diff != "" {
			t.Errorf("item (-want +got):\n%s", diff)
		}
	}
	if len(items.items) != 2 {
		t.Errorf("%d items, want 2", len(items.items))
	}
}

func TestEnqueueRejectsWrongLabels(t *testing.T) {
	k, _ := registry(queue.Services{}).Lookup("Enqueue")
	_, err := k.Build(map[string]any{
		"pipeline": "p", "labels": map[string]any{"a b": 1, "list": []any{1}}, "selectors": []any{"gpu", map[string]any{"key": "ram", "operator": "<", "value": "9"}},
	})
	const want = `labels.a b: got the key "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters
labels.list: got a list, want text, a number, true or false
selectors.0: got "gpu", want a condition such as gpu = true, ram >= 32, site in [lisbon, porto] or gpu exists
selectors.1.value: got the text "9", want a number after <`
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}
