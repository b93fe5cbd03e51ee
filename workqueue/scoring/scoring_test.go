package scoring_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"

	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// parse parses a scoring.
func parse(t *testing.T, text string) matching.Scoring {
	t.Helper()
	d, err := matching.ParseDistribution(`{"scoring": ` + text + `}`)
	if err != nil {
		t.Fatal(err)
	}
	return *d.Scoring
}

// rule returns the rule of a scoring, which logs to the returned buffer.
func rule(t *testing.T, text string) (matching.Rule, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	r, err := scoring.Services{Log: zerolog.New(&log)}.New(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return r, &log
}

func labels(t *testing.T, texts ...string) []matching.Labels {
	t.Helper()
	list := make([]matching.Labels, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = matching.ParseLabels(text); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// xbox is a job whose selectors every worker satisfies in part.
func xbox(t *testing.T) matching.Job {
	t.Helper()
	selectors, err := matching.ParseSelectors(`["ram >= 10", "site != faro"]`)
	if err != nil {
		t.Fatal(err)
	}
	return matching.Job{Labels: matching.Labels{"product": matching.Text("xbox"), "urgent": matching.Bool(true)}, Selectors: selectors}
}

func TestRulesWithoutServices(t *testing.T) {
	workers := labels(t, `{"product": "xbox", "ram": 10, "skill": "expert"}`, `{"product": "other", "ram": 20, "skill": 3, "gpu": true}`, `{}`)
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, test := range []struct {
		name, scoring string
		want          []float64
	}{
		{"default", `{}`, []float64{(1 + 0.5 + 1) / 4, (sigma(1) + 1) / 4, 0.25}},
		{"default by labels only", `{"rule": "default", "send": ["labels"]}`, []float64{0.5, 0, 0}},
		{"default by selectors only", `{"rule": "default", "send": ["selectors"]}`, []float64{0.75, (sigma(1) + 1) / 2, 0.5}},
		{"default of nothing", `{"rule": "default", "send": []}`, []float64{0, 0, 0}},
		{"one number", `{"rule": "static", "score": 7}`, []float64{7, 7, 7}},
		{"cases, the first match", `{"rule": "static", "score": 1, "cases": [{"when": ["ram >= 10", "gpu exists"], "score": 200}, {"when": ["ram >= 10"], "score": 100}]}`,
			[]float64{100, 200, 1}},
		{"a map", `{"rule": "map", "label": "skill", "scores": {"expert": 10, "3": 5}, "score": -1}`, []float64{10, 5, -1}},
		{"an expression", `{"rule": "expression", "expression": "job.urgent && worker.product == job.product ? 200 : 1"}`, []float64{200, 1, 1}},
		{"an expression of selectors", `{"rule": "expression", "expression": "(worker.ram ?? 0) / selectors[0].value + len(selectors)"}`, []float64{3, 4, 2}},
		{"an expression over a batch", `{"rule": "expression", "batch": true, "batchSize": 2, "expression": "map(workers, (#.ram ?? 0) + len(workers))"}`,
			[]float64{12, 22, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, log := rule(t, test.scoring)
			got, err := r.Scores(t.Context(), xbox(t), workers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
			if log.Len() > 0 {
				t.Errorf("the log is %s", log)
			}
			if none, err := r.Scores(t.Context(), xbox(t), nil); err != nil || len(none) != 0 {
				t.Errorf("scores of no workers = %v, %v", none, err)
			}
		})
	}
}

// The published example of custom scoring: of the workers for an urgent
// XBOX job two score 200 and one scores 1, with any of the rules.
func TestPublishedExampleOfCustomScoring(t *testing.T) {
	job := matching.Job{Labels: matching.Labels{"product": matching.Text("XBOX"), "priority": matching.Text("high")}}
	workers := labels(t, `{"skill": "XBOX"}`, `{"skill": "XBOX"}`, `{"skill": "Office"}`)
	for _, text := range []string{
		`{"rule": "expression", "expression": "job.priority == \"high\" && worker.skill == job.product ? 200 : 1"}`,
		`{"rule": "expression", "batch": true, "expression": "map(workers, #.skill == job.product ? 200 : 1)"}`,
		`{"rule": "static", "score": 1, "cases": [{"when": ["skill = XBOX"], "score": 200}]}`,
		`{"rule": "map", "label": "skill", "scores": {"XBOX": 200}, "score": 1}`,
	} {
		r, log := rule(t, text)
		got, err := r.Scores(t.Context(), job, workers)
		if diff := cmp.Diff([]float64{200, 200, 1}, got); err != nil || diff != "" || log.Len() > 0 {
			t.Errorf("%s: %v, logged %s (-want +got):\n%s", text, err, log, diff)
		}
	}
}

// A worker that an expression cannot score gets the default score, and one line is logged.
func TestExpressionFallsBack(t *testing.T) {
	workers := labels(t, `{"product": "xbox", "ram": 10}`, `{"product": "xbox"}`, `{"product": "xbox", "ram": "big"}`)
	for _, test := range []struct{ name, scoring, logged string }{
		{"a label that is missing", `{"rule": "expression", "expression": "worker.ram * 2", "send": ["labels"]}`, `(line 1, column 12)`},
		{"a text", `{"rule": "expression", "expression": "worker.ram == 10 ? 20 : worker.product", "send": ["labels"]}`, "got a text, want a finite number"},
		{"infinity", `{"rule": "expression", "expression": "worker.ram == 10 ? 20 : 1 / 0", "send": ["labels"]}`, "got +Inf, want a finite number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, log := rule(t, test.scoring)
			for range 2 {
				got, err := r.Scores(t.Context(), xbox(t), workers)
				if diff := cmp.Diff([]float64{20, 0.5, 0.5}, got); err != nil || diff != "" {
					t.Errorf("scores: %v (-want +got):\n%s", err, diff)
				}
			}
			if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), test.logged) {
				t.Errorf("the log has %d lines, want one with %q: %s", n, test.logged, log)
			}
		})
	}
	for expression, logged := range map[string]string{
		"map(workers[1:], 1)":     "got 2 scores for 3 workers",
		"map(workers, #.product)": "got a text as score 1, want a finite number",
		"workers[0].ram":          "got 10, want a list of 3 numbers",
		"map(1..500000, 1)":       "memory budget exceeded",

		"map(workers, len(repeat('abcdefgh', 100000000)))":          "creates texts and lists of more than 64 MB",
		"let l = 1..90000; map(workers, count(l, any(l, # < 0)))":   "needs more than",
		"map(workers, len(toJSON(reduce(1..60, [#acc, #acc], 1))))": "needs more than",
		"workers[0].ram == 10 ? nil : [1.0]":                        "got nothing, want a list of 3 numbers",
	} {
		r, log := rule(t, `{"rule": "expression", "batch": true, "expression": "`+expression+`", "send": ["labels"]}`)
		got, err := r.Scores(t.Context(), xbox(t), workers)
		if diff := cmp.Diff([]float64{0.5, 0.5, 0.5}, got); err != nil || diff != "" || !strings.Contains(log.String(), logged) {
			t.Errorf("%s: %v, logged %s, want %q (-want +got):\n%s", expression, err, log, logged, diff)
		}
	}
}

func TestExpressionsThatCannotScore(t *testing.T) {
	for text, want := range map[string]string{
		`{"rule": "expression", "expression": "worker.ram +"}`:                          "expression: unexpected token EOF (line 1, column 12)",
		`{"rule": "expression", "expression": "wroker.ram"}`:                            "expression: unknown name wroker (line 1, column 1); valid names: worker, job, selectors",
		`{"rule": "expression", "expression": "job.x", "send": ["selectors"]}`:          "expression: unknown name job (line 1, column 1); valid names: worker, selectors",
		`{"rule": "expression", "expression": "worker.ram", "batch": true}`:             "expression: unknown name worker (line 1, column 1); valid names: workers, job, selectors",
		`{"rule": "expression", "expression": "worker.gpu == true"}`:                    "expression: the expression gives true or false, want a number, such as worker.gpu ? 1 : 0",
		`{"rule": "expression", "expression": "\"x\""}`:                                 "expression: the expression gives string, want a number",
		`{"rule": "expression", "expression": "1", "batch": true}`:                      "expression: the expression gives int, want a list of numbers, one for each of workers",
		`{"rule": "expression", "expression": "` + strings.Repeat("1+", 5000) + `111"}`: "expression: the expression has 10003 bytes, want at most 10000",
	} {
		sc := parse(t, text)
		_, err := scoring.Services{}.New(sc)
		if err == nil || err.Error() != want {
			t.Errorf("New(%s): %v, want %s", text, err, want)
		}
		err = scoring.Check(matching.Distribution{Scoring: &sc})
		if err == nil || err.Error() != "scoring."+want {
			t.Errorf("Check(%s): %v, want scoring.%s", text, err, want)
		}
	}
	if err := scoring.Check(matching.Distribution{Mode: "best"}); err == nil {
		t.Error("Check does not find the fault of the distribution")
	}
	if _, err := (scoring.Services{}).New(matching.Scoring{Rule: matching.HTTPRule}); err == nil {
		t.Error("New returns a rule for an invalid scoring")
	}
}

func TestExpressionStopsWithItsContext(t *testing.T) {
	r, _ := rule(t, `{"rule": "expression", "expression": "1"}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Scores(ctx, xbox(t), labels(t, `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context's error", err)
	}
	r, _ = rule(t, `{"rule": "expression", "expression": "let l = 1..90000; count(l, any(l, # < 0))"}`)
	ctx, cancel = context.WithCancel(t.Context())
	if _, err := r.Scores(&endsLater{ctx, 3, cancel}, xbox(t), labels(t, `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("in a loop: err = %v, want the context's error", err)
	}
}

// endsLater is a context that ends after a number of checks.
type endsLater struct {
	context.Context
	left int
	end  func()
}

func (c *endsLater) Err() error {
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Context.Err()
}
