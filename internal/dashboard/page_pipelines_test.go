package dashboard

import (
	"slices"
	"testing"
	"time"
)

// The figures of a system pipeline are those of its runs that succeeded.
func TestRunsOfASystemPipeline(t *testing.T) {
	var latest []run // the latest first: it took 20 ms, the one before 19 ms
	for ms := int64(20); ms > 0; ms-- {
		latest = append(latest, run{Outcome: "succeeded", TookMs: &ms})
	}
	failed := int64(90_000)
	latest = append([]run{{Outcome: "running"}, {Outcome: "failed", TookMs: &failed}}, latest...)
	var p pipeline
	p.addRuns(latest)
	if p.Last != &latest[0] || p.Mean != 10*time.Millisecond || p.P95 != 19*time.Millisecond || len(p.Took) != 20 || !slices.IsSorted(p.Took) {
		t.Errorf("last %v, mean %s, p95 %s, took %v", p.Last, p.Mean, p.P95, p.Took)
	}
	var one pipeline
	one.addRuns(latest[len(latest)-1:])
	if one.Mean != time.Millisecond || one.P95 != time.Millisecond {
		t.Errorf("of one run: mean %s, p95 %s", one.Mean, one.P95)
	}
	var none pipeline
	if none.addRuns(latest[:2]); none.Took != nil || none.Last == nil {
		t.Errorf("without a run that succeeded: %+v", none)
	}
}
