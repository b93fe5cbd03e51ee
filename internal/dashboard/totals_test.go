package dashboard

import (
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
)

// The p95 of a day is that of all its runs, not that of an hour.
func TestFiguresAreOfTheWholeTime(t *testing.T) {
	times := func(p95 time.Duration) *workqueue.SeriesTimes {
		return &workqueue.SeriesTimes{Count: 1, P95: workqueue.Duration(p95)}
	}
	s := workqueue.Series{
		Points: []workqueue.SeriesPoint{
			{Group: "mail", Started: 100, Succeeded: 98, Failed: 2, Run: times(time.Second)},
			{Group: "mail", Started: 1, Succeeded: 1, Run: times(time.Hour)},
			{Group: "print", Started: 3},
		},
		Totals: []workqueue.SeriesPoint{{Group: "mail", Started: 101, Succeeded: 99, Failed: 2, Run: times(2 * time.Second)}, {Group: "print", Started: 3}},
	}
	all := figuresOf(&s)
	if f := all["mail"]; f == nil || f.Ended != 101 || f.Failed != 2 || time.Duration(f.Run.P95) != 2*time.Second || len(f.Started) != 2 || f.Started[1] != 1 {
		t.Errorf("got %+v, want 101 ended, 2 failed, a p95 of 2 s and two hours", f)
	}
	if f := all["print"]; f == nil || f.Run != nil || f.Ended != 0 || len(f.Started) != 1 {
		t.Errorf("got %+v, want no run", f)
	}
	hour := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	s.Points[0].Start, s.Points[1].Start = hour, hour.Add(time.Hour)
	s.Points = slices.Insert(s.Points, 2, workqueue.SeriesPoint{Group: "mail", Start: hour.Add(2 * time.Hour), Started: 1})
	all = figuresOf(&s)
	if l := all["mail"].Latest; l == nil || !l.Hour.Equal(hour.Add(time.Hour)) || l.Ended != 1 || l.Failed != 0 {
		t.Errorf("got %+v, want the end at 10:00", l)
	}
	if l := all["print"].Latest; l != nil {
		t.Errorf("got %+v of a pipeline without ends", l)
	}
	if total := totalOf(&s, "none"); total != nil {
		t.Errorf("got %+v of an unknown group", total)
	}
}
