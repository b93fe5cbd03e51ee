package api_test

import (
	"maps"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

type calendarAnswer struct {
	Items []struct {
		Day         string
		From, Until time.Time
		Planned     int
		Runs        map[string]int
		Cut         bool
	}
}

// The days of a zone with a change of the clocks have 23 and 25 hours, and a run counts for the day
// on which it starts there.
func TestCalendar(t *testing.T) {
	s := apitest.Start(t, nil)
	viewer := as(t, s, access.Viewer)
	at := func(text string) time.Time {
		t.Helper()
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for text, outcome := range map[string]workqueue.FiringOutcome{
		"2026-03-28T22:59:00Z": workqueue.Missed,  // 23:59 on the day before the change
		"2026-03-28T23:00:00Z": workqueue.Missed,  // 00:00
		"2026-03-29T21:59:00Z": workqueue.Skipped, // 23:59, an hour earlier in UTC
		"2026-03-29T22:00:00Z": workqueue.Missed,  // 00:00 on the next day
		"2026-10-24T22:00:00Z": workqueue.Missed,
		"2026-10-25T22:59:00Z": workqueue.Missed,
		"2026-10-25T23:00:00Z": workqueue.Missed,
	} {
		f := workqueue.Firing{Schedule: "nightly", PlannedAt: at(text), Outcome: outcome, Reason: "no worker", RecordedBy: "ann"}
		if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f, {Schedule: workqueue.TaskSchedule("close"), PlannedAt: at(text), Outcome: outcome, RecordedBy: "ann"}}); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string][]struct {
		hours float64
		runs  map[string]int
	}{
		"2026-03-28": {{24, map[string]int{"missed": 1}}, {23, map[string]int{"missed": 1, "skipped": 1}}, {24, map[string]int{"missed": 1}}},
		"2026-10-24": {{24, map[string]int{}}, {25, map[string]int{"missed": 2}}, {24, map[string]int{"missed": 1}}},
	} {
		got := apitest.Decode[calendarAnswer](t, viewer.get("/schedules/calendar?days=3&timezone=Europe/Berlin&from="+from).Want(t, 200)).Items
		if len(got) != 3 || got[0].Day != from {
			t.Fatalf("from %s: got %+v", from, got)
		}
		for i, w := range want {
			if got[i].Until.Sub(got[i].From).Hours() != w.hours || !maps.Equal(got[i].Runs, w.runs) || got[i].Planned != 0 || got[i].Cut {
				t.Errorf("%s: got %+v, want %v hours and %v", got[i].Day, got[i], w.hours, w.runs)
			}
		}
	}
	if got := apitest.Decode[calendarAnswer](t, viewer.get("/schedules/calendar?days=2&from=2026-03-28&pipeline=other").Want(t, 200)).Items; len(got[0].Runs) != 0 {
		t.Errorf("another pipeline has %+v", got)
	}

	w := registerWorker(t, s, "ann")
	for _, outcome := range []workqueue.RunOutcome{workqueue.RunFailed, workqueue.RunSucceeded, workqueue.RunRunning} {
		id, err := s.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "hourly", Trigger: "cron", WorkerID: &w.ID})
		if err != nil {
			t.Fatal(err)
		}
		if outcome != workqueue.RunRunning {
			if err := s.Store.FinishRun(t.Context(), id, workqueue.RunEnd{Outcome: outcome}); err != nil {
				t.Fatal(err)
			}
		}
	}
	today := apitest.Decode[calendarAnswer](t, viewer.get("/schedules/calendar?days=1&pipeline=hourly").Want(t, 200)).Items
	if want := map[string]int{"failed": 1, "succeeded": 1, "running": 1}; !maps.Equal(today[0].Runs, want) {
		t.Errorf("today: got %v, want %v", today[0].Runs, want)
	}
	for _, query := range []string{"timezone=Nowhere", "timezone=Local", "timezone=../../etc/passwd", "from=yesterday", "from=9999-01-01", "days=0", "days=63"} {
		viewer.get("/schedules/calendar?"+query).WantProblem(t, 422, "invalid-request")
	}
}
