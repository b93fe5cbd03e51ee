package matching_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
)

func TestParseDistribution(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       matching.Distribution
		canonical  string // "": unchanged
	}{
		{"nothing", ``, matching.Distribution{}, ""},
		{"an empty object", `{}`, matching.Distribution{}, "-"},
		{"a mode", `{"mode":"round-robin"}`, matching.Distribution{Mode: matching.RoundRobin}, ""},
		{"false is not open", `{"bypassSelectors":false}`, matching.Distribution{BypassSelectors: new(false)}, ""},
		{"the default score", `{"mode":"best-worker","scoring":{"descending":true}}`,
			matching.Distribution{Mode: matching.BestWorker, Scoring: &matching.Scoring{}}, `{"mode":"best-worker","scoring":{"rule":"default"}}`},
		{"static", `{"scoring":{"rule":"static","score":1,"cases":[{"when":[{"key":"gpu","operator":"equal","value":true}],"score":200}]}}`,
			matching.Distribution{Scoring: &matching.Scoring{Rule: matching.StaticRule, Score: 1, Cases: []matching.ScoreCase{
				{When: []matching.Selector{{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true)}}, Score: 200},
			}}}, ""},
		{"static zero", `{"scoring":{"rule":"static","score":0}}`, matching.Distribution{Scoring: &matching.Scoring{Rule: matching.StaticRule}}, ""},
		{"map", `{"scoring":{"rule":"map","score":-1,"label":"skill","scores":{"expert":10,"novice":0.5},"descending":false}}`,
			matching.Distribution{Scoring: &matching.Scoring{
				Rule: matching.MapRule, Score: -1, Label: "skill", Scores: map[string]float64{"expert": 10, "novice": 0.5}, Ascending: true,
			}}, ""},
		{"expression", `{"scoring":{"rule":"expression","expression":"worker.ram","batch":true,"batchSize":50,"send":[]}}`,
			matching.Distribution{Scoring: &matching.Scoring{
				Rule: matching.ExpressionRule, Expression: "worker.ram", Batch: true, BatchSize: 50, WithoutLabels: true, WithoutSelectors: true,
			}}, ""},
		{"http", `{"scoring":{"rule":"http","http":{"url":"https://x.test/s?a=1","headers":{"Authorization":{"secret":"scorer","prefix":"Bearer "},"X-Site":"a<b"},` +
			`"timeout":"500ms","fallback":0},"send":["labels"]}}`,
			matching.Distribution{Scoring: &matching.Scoring{
				Rule: matching.HTTPRule, WithoutSelectors: true, HTTP: &matching.HTTPScoring{
					URL: "https://x.test/s?a=1", Timeout: 500 * time.Millisecond, Fallback: new(0.0),
					Headers: map[string]matching.Header{"Authorization": {Text: "Bearer ", Secret: "scorer"}, "X-Site": {Text: "a<b"}},
				},
			}}, ""},
		{"http with the default score to fall back on", `{"scoring":{"rule":"http","http":{"url":"http://localhost:8080","fallback":"default"}}}`,
			matching.Distribution{Scoring: &matching.Scoring{Rule: matching.HTTPRule, HTTP: &matching.HTTPScoring{URL: "http://localhost:8080"}}},
			`{"scoring":{"rule":"http","http":{"url":"http://localhost:8080"}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := matching.ParseDistribution(test.text)
			if err != nil {
				t.Fatal(err)
			}
			// The default rule is the same with its name and without.
			if got.Scoring != nil && got.Scoring.Rule == matching.DefaultRule {
				got.Scoring.Rule = ""
			}
			if diff := cmp.Diff(test.want, got, values); diff != "" {
				t.Errorf("distribution (-want +got):\n%s", diff)
			}
			want := test.canonical
			if want == "" {
				want = test.text
			}
			if want == "-" {
				want = ""
			}
			if text := got.JSON(); text != want {
				t.Errorf("JSON = %s, want %s", text, want)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("Validate: %v", err)
			}
		})
	}
}

func TestParseDistributionReportsEverything(t *testing.T) {
	for text, want := range map[string][]string{
		`"best-worker"`: {`got the text "best-worker", want {mode, bypassSelectors, scoring}`},
		`{"mode":"best","bypassSelectors":1,"x":2}`: {
			`x: unknown key "x"; valid keys: mode, bypassSelectors, scoring`,
			`mode: got "best", want least-loaded, round-robin, longest-idle or best-worker`,
			"bypassSelectors: got the number 1, want true or false",
		},
		`{"mode":"round-robin","scoring":{}}`: {"scoring: got a scoring with the mode round-robin, want it with best-worker, the only mode that scores"},
		`{"scoring":{"rule":"magic","http":7}}`: {
			`scoring.rule: got "magic", want default, static, map, expression or http`,
			"scoring.http: got the number 7, want {url, headers, timeout, fallback}",
		},
		`{"scoring":{"expression":"1"}}`: {"scoring.expression: the rule default has no key expression, want it with rule: expression"},
		`{"scoring":{"rule":"static"}}`:  {`scoring: the key "score" is missing; the rule static needs it`},
		`{"scoring":{"rule":"map"}}`: {
			`scoring: the key "label" is missing; the rule map needs it`, `scoring: the key "scores" is missing; the rule map needs it`,
		},
		`{"scoring":{"rule":"expression"}}`: {`scoring: the key "expression" is missing; the rule expression needs it`},
		`{"scoring":{"rule":"static","score":"1","cases":[{"when":["gpu"],"scroe":1},3]}}`: {
			`scoring.score: got the text "1", want a finite number`,
			`scoring.cases[0].scroe: unknown key "scroe"; valid keys: when, score`,
			`scoring.cases[0].when[0]: got "gpu", want a condition such as gpu = true, ram >= 32, site in [lisbon, porto] or gpu exists`,
			"scoring.cases[0].score: got nothing, want a finite number",
			"scoring.cases[1]: got the number 3, want {when, score}",
		},
		`{"scoring":{"rule":"static","cases":[{"when":[{"key":"a","operator":"exists","expedite":true}],"score":1},{"score":2}]}}`: {
			"scoring.cases[0].when[0]: a case has no expiresAfter and no expedite",
			`scoring.cases[1]: the key "when" is missing`,
		},
		`{"scoring":{"rule":"map","label":"a b","scores":{"x":null,"y":1e999}}}`: {
			`scoring.label: got "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
			"scoring.scores.x: got nothing, want a finite number",
			"scoring.scores.y: got the number 1e999, want a finite number",
		},
		`{"scoring":{"rule":"expression","expression":"1","batch":true,"batchSize":0,"send":["labels","job"],"descending":"no"}}`: {
			"scoring.batchSize: got the number 0, want 1 to 1000",
			`scoring.descending: got the text "no", want true or false`,
			`scoring.send[1]: got the text "job", want labels or selectors`,
		},
		`{"scoring":{"rule":"expression","expression":"1","batchSize":5}}`: {"scoring.batchSize: only valid with batch: true"},
		`{"scoring":{"rule":"http","http":{"url":"ftp://x","timeout":"31s","fallback":"none","headers":{"a b":"x","X":7,"Y":"a\nb","Z":{"secrt":"n"}}}}}`: {
			"scoring.http.url: want an address that begins with http:// or https://",
			"scoring.http.timeout: got 31s, want at most 30s: no other pass begins meanwhile",
			"scoring.http.headers.X: want a text, or {secret: name}",
			"scoring.http.headers.Y: want no line breaks",
			`scoring.http.headers.Z.secrt: unknown key "secrt"; valid keys: secret, prefix`,
			`scoring.http.headers.Z: the key "secret" is missing`,
			`scoring.http.headers.a b: got the name "a b", want the name of a header`,
			`scoring.http.fallback: got the text "none", want a finite number`,
		},
	} {
		_, err := matching.ParseDistribution(text)
		if diff := cmp.Diff(want, messages(t, err)); diff != "" {
			t.Errorf("ParseDistribution(%s) (-want +got):\n%s", text, diff)
		}
	}
}

// A secret that was written in the clear is refused without being repeated.
func TestSecretsInTheClear(t *testing.T) {
	for text, want := range map[string]string{
		`{"url":"https://ana:hunter2@x.test"}`:                           "the address contains a user: want a header {secret: name}",
		`{"url":"https://hunter2:%zz"}`:                                  "invalid address",
		`{"url":"https://x.test","headers":{"X-Api-Key":"hunter2"}}`:     "got a text, want {secret: name} with the name of a secret of the settings",
		`{"url":"https://x.test","headers":{"Authorization":"hunter2"}}`: "got a text, want {secret: name} with the name of a secret of the settings",
		`{"url":"https://x.test","headers":{"X":["hunter2"]}}`:           "want a text, or {secret: name}",
	} {
		_, err := matching.ParseDistribution(`{"scoring":{"rule":"http","http":` + text + `}}`)
		got := messages(t, err)
		if len(got) != 1 || !strings.Contains(got[0], want) || strings.Contains(got[0], "hunter2") {
			t.Errorf("faults of %s = %q, want one that says %q", text, got, want)
		}
	}
	if got := fmt.Sprint(matching.Header{Text: "Bearer ", Secret: "scorer"}, matching.Header{Text: "plain"}); got != "<secret> plain" {
		t.Errorf("headers print as %q", got)
	}
}

func TestDistributionOr(t *testing.T) {
	step := matching.Distribution{Mode: matching.BestWorker, BypassSelectors: new(true), Scoring: &matching.Scoring{Rule: matching.StaticRule, Score: 1}}
	queue := matching.Distribution{BypassSelectors: new(false)}
	pipeline := matching.Distribution{Mode: matching.RoundRobin}
	got := pipeline.Or(queue).Or(step).Or(matching.DefaultDistribution())
	want := matching.Distribution{Mode: matching.RoundRobin, BypassSelectors: new(false), Scoring: step.Scoring}
	if diff := cmp.Diff(want, got); diff != "" || got.Bypasses() {
		t.Errorf("distribution (-want +got):\n%s", diff)
	}
	open := matching.Distribution{}.Or(matching.DefaultDistribution())
	if open.Mode != matching.LeastLoaded || open.Bypasses() || open.Scoring.Kind() != matching.DefaultRule {
		t.Errorf("the default = %+v", open)
	}
}

func TestDistributionValidate(t *testing.T) {
	merged := matching.Distribution{Mode: matching.RoundRobin}.Or(matching.DefaultDistribution())
	if err := merged.Validate(); err != nil {
		t.Errorf("what several places said together: %v", err)
	}
	bad := matching.Distribution{Mode: "best", Scoring: &matching.Scoring{Rule: matching.MapRule, Label: "skill"}}
	want := []string{
		`mode: got "best", want least-loaded, round-robin, longest-idle or best-worker`,
		`scoring: the key "scores" is missing; the rule map needs it`,
	}
	if diff := cmp.Diff(want, messages(t, bad.Validate())); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestScoringDefaults(t *testing.T) {
	s := &matching.Scoring{}
	if !s.Better(2, 1) || s.Better(1, 2) || s.Better(1, 1) || s.Size() != 1 {
		t.Error("by default the highest score is the best, and workers are scored one by one")
	}
	s = &matching.Scoring{Ascending: true, Batch: true, WithoutLabels: true}
	if s.Better(2, 1) || !s.Better(1, 2) || s.Size() != 20 {
		t.Error("ascending, in batches: want the lowest score first, and batches of 20")
	}
	job := s.Shown(matching.Job{Labels: matching.Labels{"a": matching.Number(1)}, Selectors: []matching.Selector{{Key: "b"}}})
	if job.Labels != nil || len(job.Selectors) != 1 {
		t.Errorf("shown = %+v, want the selectors alone", job)
	}
	if wait := (&matching.HTTPScoring{}).Wait(); wait != 2*time.Second {
		t.Errorf("timeout = %v, want 2s", wait)
	}
}

// What is read is written so that it is read again, and nothing makes the
// reader panic.
func FuzzParseDistribution(f *testing.F) {
	for _, seed := range []string{
		`{"mode":"best-worker","bypassSelectors":true,"scoring":{"rule":"map","label":"a","scores":{"1":1e300,"":-0}}}`,
		`{"scoring":{"rule":"static","cases":[{"when":["a = 1"],"score":1}],"send":[]}}`,
		`{"scoring":{"rule":"http","http":{"url":"http://h","headers":{"A":{"secret":"s"},"B":"\u0000"},"timeout":"1ns","fallback":-1}}}`,
		`{"scoring":{"rule":"expression","expression":"1","batch":true,"batchSize":1e3,"descending":false}}`, `[]`, `{"scoring":{"rule":""}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := matching.ParseDistribution(text)
		if err != nil {
			return
		}
		again, err := matching.ParseDistribution(d.JSON())
		if err != nil || again.JSON() != d.JSON() {
			t.Errorf("%s is written %s and read: %v, written %s", text, d.JSON(), err, again.JSON())
		}
	})
}

// Only queues have shares.
func TestParseQueueDistribution(t *testing.T) {
	d, err := matching.ParseQueueDistribution(`{"mode":"round-robin","share":3}`)
	if err != nil || d.Share != 3 || d.Mode != matching.RoundRobin || d.JSON() != `{"mode":"round-robin","share":3}` {
		t.Errorf("got %v as %s, %v", d, d.JSON(), err)
	}
	if _, err := matching.ParseDistribution(`{"share":3}`); err == nil || !strings.Contains(err.Error(), "share") {
		t.Errorf("a pipeline with a share: got %v", err)
	}
	for _, text := range []string{`0`, `-1`, `1001`, `2.5`, `"3"`, `true`, `[]`} {
		_, err := matching.ParseQueueDistribution(`{"share":` + text + `}`)
		if err == nil || !strings.Contains(err.Error(), "want a whole number from 1 to 1000") {
			t.Errorf("share %s: got %v", text, err)
		}
	}
}
