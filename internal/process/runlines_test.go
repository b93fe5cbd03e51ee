package process_test

import (
	"testing"

	"botwork/internal/testdb"
)

// A run with work has one log line at info level, with the totals of its steps; an idle run has
// none.
func TestOneLogLinePerRunWithWork(t *testing.T) {
	x := newFixture(t, testdb.Engines[0])
	x.boundaries()
	b := x.newOptions("w")
	x.runOnce(b, medium)
	x.runOnce(b, medium)
	infos := func(message string) (lines []map[string]any) {
		for _, line := range b.log.with(message) {
			if line["level"] == "info" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	lines := infos("run succeeded")
	if len(lines) != 1 || len(b.log.with("run succeeded")) != 2 {
		t.Fatalf("%d lines at info of %v, want 1 of 2", len(lines), b.log.with("run succeeded"))
	}
	for key, want := range map[string]any{"pipeline": medium, "assigned": 4.0, "succeeded": 4.0, "failed": nil, "rescued": nil} {
		if lines[0][key] != want {
			t.Errorf("%s is %v, want %v, in %v", key, lines[0][key], want, lines[0])
		}
	}
	for _, message := range []string{"assigned items", "ran items", "run started"} {
		if got := infos(message); len(got) > 0 {
			t.Errorf("%d lines %q at info, want none", len(got), message)
		}
	}
	if got := infos("item succeeded"); len(got) != 4 {
		t.Errorf("%d lines for items, want 4", len(got))
	}
}

// A run with a step that reports no counts does not count as idle.
func TestRunOfOtherHandlersIsLogged(t *testing.T) {
	x := newFixture(t, testdb.Engines[0])
	x.files["plain"] = "trigger: {cron: '0 0 1 1 *'}\nsteps:\n  - {handler: Log, with: {message: hello}}\n"
	x.files["skipped"] = "trigger: {cron: '0 0 1 1 *'}\nsteps:\n  - {handler: Log, if: 1 > 2, with: {message: hello}}\n"
	b := x.newOptions("w")
	for pipeline, want := range map[string]string{"plain": "info", "skipped": "debug"} {
		x.runOnce(b, pipeline)
		lines := b.log.with("run succeeded")
		if last := lines[len(lines)-1]; last["level"] != want || last["pipeline"] != pipeline {
			t.Errorf("the run of %s: %v, want level %s", pipeline, last, want)
		}
	}
}
