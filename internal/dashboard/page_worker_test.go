package dashboard

import (
	"math"
	"testing"
	"time"
)

func TestSlotLine(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	ran := func(id int64, from, to int) item { // minutes before now; to 0: it runs
		it := item{ID: id, Status: "Running", StartedAt: new(now.Add(time.Duration(-from) * time.Minute))}
		if to > 0 {
			it.Status, it.FinishedAt = "Succeeded", new(now.Add(time.Duration(-to)*time.Minute))
		}
		return it
	}
	l := newSlotLine([]item{ran(4, 10, 0), ran(1, 90, 30), ran(2, 50, 40), ran(3, 40, 20), ran(5, 30, 29)}, 3, now)
	want := [][]int64{{1, 5, 4}, {2, 3}}
	if len(l.Lanes) != len(want) {
		t.Fatalf("got %d lanes", len(l.Lanes))
	}
	for i, lane := range l.Lanes {
		for k, it := range lane {
			if it.ID != want[i][k] {
				t.Errorf("lane %d has item %d, want %d", i, it.ID, want[i][k])
			}
		}
	}
	// 30 minutes of item 1 within the hour, 10, 20, 1 and 10: 71 of 180.
	if math.Abs(l.Busy-71.0/180) > 1e-9 {
		t.Errorf("busy %v, want 71 of 180 minutes", l.Busy)
	}
	if svg := string(l.SVG()); len(svg) == 0 {
		t.Error("nothing is drawn")
	}
}

func TestExpectedEnd(t *testing.T) {
	start := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	if end := (&item{StartedAt: &start, EstimateMs: new(int64(90_000))}).ExpectedEnd(); end == nil || !end.Equal(start.Add(90*time.Second)) {
		t.Errorf("a run of 90 s is expected to end at %v", end)
	}
	if end := (&item{StartedAt: &start}).ExpectedEnd(); end != nil {
		t.Errorf("a run without an estimate is expected to end at %v", end)
	}
}

// The speed of a worker is that of the runs that succeeded and whose duration was expected.
func TestSpeedOfAWorker(t *testing.T) {
	start := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	run := func(status string, took time.Duration, expected *int64) item {
		return item{Status: status, StartedAt: &start, FinishedAt: new(start.Add(took)), EstimateMs: expected}
	}
	s := speedOf([]item{
		run("Succeeded", 30*time.Second, new(int64(60_000))), run("Succeeded", 60*time.Second, new(int64(60_000))),
		run("Failed", time.Hour, new(int64(60_000))), run("Succeeded", time.Hour, nil), run("Succeeded", time.Hour, new(int64(0))),
		{Status: "Succeeded", StartedAt: &start, EstimateMs: new(int64(1000))},
	})
	if s.Runs != 2 || s.Took != 90*time.Second || s.Expected != 2*time.Minute || s.Share() != 0.75 {
		t.Errorf("got %+v, %v of what was expected; want two runs, 1m30s of 2m0s", s, s.Share())
	}
	if none := speedOf(nil); none.Runs != 0 || none.Share() != 0 {
		t.Errorf("got %+v of no run", none)
	}
}
