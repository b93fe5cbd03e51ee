package dashboard

import (
	"strings"
	"testing"
)

func TestStepsOfARun(t *testing.T) {
	steps := []step{
		{Path: "load"}, {Path: "check", If: "payload.a"}, {Path: "soft", OnError: "continue"}, {Path: "stop", Handler: "Break", If: "payload.b"}, {Path: "post"}, {Path: "report"},
	}
	const log = "2026-01-31T12:00:00Z WRN step failed; continuing the pipeline error=\"no paper\" step=soft\n2026-01-31T12:00:01Z INF hello step=\"check\"\n"
	for _, c := range []struct {
		name string
		run  *latestRun
		want string
	}{
		{"none", nil, "|||||"},
		{"running", &latestRun{Outcome: "running", Step: "soft"}, "Ran|Not recorded|Running|Not reached|Not reached|Not reached"},
		{"failed", &latestRun{Outcome: "failed", Step: "post", Log: log}, "Ran|Ran|Failed, the run went on|Not recorded|Failed|Not reached"},
		{"timed out at once", &latestRun{Outcome: "timeout", Step: "load"}, "Timed out|Not reached|Not reached|Not reached|Not reached|Not reached"},
		{"rescued", &latestRun{Outcome: "rescued", Step: "report"}, "Ran|Not recorded|Ran|Not recorded|Ran|Interrupted"},
		{"succeeded", &latestRun{Outcome: "succeeded"}, "Ran|Not recorded|Ran|Not recorded|Not recorded|Not recorded"},
		{"failed, with times", &latestRun{Outcome: "failed", Step: "post", Times: `[{"step":"load","ms":1200},{"step":"soft","ms":0},{"step":"post","ms":61000}]`},
			"Ran 1.2 s|Skipped|Ran 0 ms|Skipped|Failed 1 min 1 s|Not reached"},
		{"running, with times", &latestRun{Outcome: "running", Step: "soft", Times: `[{"step":"load","ms":1200},{"step":"check","ms":5}]`},
			"Ran 1.2 s|Ran 5 ms|Running|Not reached|Not reached|Not reached"},
		{"succeeded, with times", &latestRun{Outcome: "succeeded", Times: `[{"step":"load","ms":1},{"step":"stop","ms":2}]`},
			"Ran 1 ms|Skipped|Skipped|Ran 2 ms|Not recorded|Not recorded"},
		{"times of another text", &latestRun{Outcome: "succeeded", Times: `[{"step":"gone","ms":1}]`},
			"Ran|Not recorded|Ran|Not recorded|Not recorded|Not recorded"},
		{"of another text", &latestRun{Outcome: "failed", Step: "gone"}, "Not recorded|Not recorded|Not recorded|Not recorded|Not recorded|Not recorded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var words []string
			for _, s := range stepsOf(steps, c.run) {
				words = append(words, strings.TrimSpace(s.Look.Word+" "+s.Took))
				if s.Look == stepUnsure && s.Note == "" {
					t.Errorf("step %s does not say why it is not known", s.Name)
				}
			}
			if got := strings.Join(words, "|"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestNestedStepsOfARun(t *testing.T) {
	steps := []step{
		{Path: "load"}, {Path: "post", Kind: "block", If: "payload.a"}, {Path: "post / sign"}, {Path: "post / send"},
		{Path: "both", Kind: "parallel"}, {Path: "both / one", Kind: "block"}, {Path: "both / one / a"}, {Path: "both / one / b"}, {Path: "both / two"},
		{Path: "lines", Kind: "block", Foreach: "${{ payload.lines }}"}, {Path: "lines / put"}, {Path: "lines / log"}, {Path: "end"},
	}
	for _, c := range []struct {
		name string
		run  *latestRun
		want string
	}{
		{
			"fails in a block", &latestRun{Outcome: "failed", Step: "post / sign", Times: `[{"step":"load","ms":1},{"step":"post / sign","ms":2},{"step":"post","ms":3}]`},
			"Ran 1 ms|Failed 3 ms|Failed 2 ms|Not reached|Not reached|Not reached|Not reached|Not reached|Not reached|Not reached|Not reached|Not reached|Not reached",
		},
		{
			"runs in branches", &latestRun{Outcome: "running", Step: "both / one, both / one / b, both / two", Times: `[{"step":"load","ms":1},{"step":"both / one / a","ms":2}]`},
			"Ran 1 ms|Skipped|Skipped|Skipped|Running|Running|Ran 2 ms|Running|Running|Not reached|Not reached|Not reached|Not reached",
		},
		{
			"one branch is left", &latestRun{Outcome: "running", Step: "both / one, both / one / a", Times: `[{"step":"load","ms":1},{"step":"both / two","ms":2}]`},
			"Ran 1 ms|Skipped|Skipped|Skipped|Running|Running|Running|Not reached|Ran 2 ms|Not reached|Not reached|Not reached|Not reached",
		},
		{
			"runs in a loop", &latestRun{Outcome: "running", Step: "lines / put", Log: "WRN step failed; continuing the pipeline step=\"lines[3] / log\""},
			"Ran|Not recorded|Not recorded|Not recorded|Ran|Ran|Ran|Ran|Ran|Running|Running|Failed, the run went on|Not reached",
		},
		{
			"the second step of a loop", &latestRun{Outcome: "running", Step: "lines / log"},
			"Ran|Not recorded|Not recorded|Not recorded|Ran|Ran|Ran|Ran|Ran|Running|Not recorded|Running|Not reached",
		},
		{"succeeded", &latestRun{Outcome: "succeeded"}, "Ran|Not recorded|Not recorded|Not recorded|Ran|Ran|Ran|Ran|Ran|Ran|Not recorded|Not recorded|Ran"},
	} {
		var words []string
		for _, s := range stepsOf(steps, c.run) {
			words = append(words, strings.TrimSpace(s.Look.Word+" "+s.Took))
		}
		if got := strings.Join(words, "|"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestLatestRun(t *testing.T) {
	at, step := minute(1), "post"
	failed := attempt{Number: 2, Fence: 3, Outcome: "failed", Step: &step, StartedAt: &at}
	for _, c := range []struct {
		name     string
		item     item
		attempts []attempt
		want     *latestRun
	}{
		{"none", item{Status: "Pending"}, nil, nil},
		{"failed", item{Status: "Retry", Fence: 3, StartedAt: &at}, []attempt{failed}, &latestRun{Number: 2, Outcome: "failed", Step: "post"}},
		{"runs again", item{Status: "Running", Fence: 4, StartedAt: &at, RetryCount: 2, Step: &step}, []attempt{failed}, &latestRun{Number: 3, Outcome: "running", Step: "post"}},
		{"succeeded", item{Status: "Succeeded", Fence: 4, StartedAt: &at}, []attempt{failed}, &latestRun{Number: 1, Outcome: "succeeded"}},
		{"had not begun", item{Status: "Pending", Fence: 1}, []attempt{{Number: 1, Fence: 1, Outcome: "released"}}, nil},
	} {
		got := latestOf(&c.item, c.attempts)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSideBySide(t *testing.T) {
	const unified = `--- ship 29f0, first loaded then
+++ ship.yaml
@@ -3,5 +3,6 @@
 steps:
-  - name: a
-    handler: Log
+  - name: b
+    handler: HTTP
+    timeout: 30s
   - name: c
---- the last
@@ -20,1 +21,2 @@
 end
+more
\ No newline at end of file
`
	want := []diffRow{
		{"steps:", "steps:", 3, 3, false, true},
		{"  - name: a", "  - name: b", 4, 4, true, false},
		{"    handler: Log", "    handler: HTTP", 5, 5, true, false},
		{"", "    timeout: 30s", 0, 6, true, false},
		{"  - name: c", "  - name: c", 6, 7, false, false},
		{"--- the last", "", 7, 0, true, false},
		{"end", "end", 20, 21, false, true},
		{"", "more", 0, 22, true, false},
	}
	got := sideBySide(unified)
	if len(got) != len(want) {
		t.Fatalf("got %d rows, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	if rows := sideBySide(""); rows != nil {
		t.Errorf("no difference: %+v", rows)
	}
}
