package dashboard

import (
	"testing"
	"time"
)

// Each bar leads to its own run, although two runs began in the same millisecond. A bar of several
// runs leads to the list, and one that is not in the table leads nowhere.
func TestBarsLeadToTheirRuns(t *testing.T) {
	begin := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	scale := &timeline{From: begin.Add(-time.Hour), Until: begin.Add(23 * time.Hour), Now: begin.Add(time.Hour), Zone: time.UTC}
	made := func(id int64, outcome string) run {
		return run{ID: &id, Pipeline: "nightly", Outcome: outcome, StartedAt: &begin, FinishedAt: &begin}
	}
	v := dayPage{Runs: []run{made(1, "succeeded"), made(2, "failed"), made(4, "succeeded")}}
	lane := timelineLane{Pipeline: "nightly", Link: "/list"}
	for _, n := range append(v.Runs, made(3, "skipped")) {
		lane.Bars = append(lane.Bars, scale.bar(&n))
	}
	lane.Bars = scale.join(lane.Bars)
	v.Lanes = []timelineLane{lane}
	v.link(scale)
	want := map[string]string{"succeeded": "/list", "failed": "#run-2", "skipped": ""}
	if len(v.Lanes[0].Bars) != len(want) {
		t.Fatalf("got %d bars, want %d", len(v.Lanes[0].Bars), len(want))
	}
	for _, b := range v.Lanes[0].Bars {
		if b.Link != want[b.Outcome] {
			t.Errorf("the bar of %s leads to %q, want %q", b.Outcome, b.Link, want[b.Outcome])
		}
	}
}
