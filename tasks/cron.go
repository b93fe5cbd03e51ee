package tasks

import (
	"time"

	"botwork/internal/cron"
)

// cronWindows opens a window at each instant of an expression.
type cronWindows struct {
	schedule  *cron.Schedule
	tolerance time.Duration // 0: until the next instant
}

func (s Schedule) cronWindows(zone *time.Location, problems *Problems) windows {
	if s.StartAt != "" {
		problems.add("startAt", "", "want no startAt together with cron")
	}
	schedule, err := cron.Parse(s.Cron, zone, cron.First)
	if err != nil {
		problems.add("cron", "", "%v", err)
	}
	w := cronWindows{schedule: schedule}
	if s.StartTolerance != "" {
		t, err := parseTolerance(s.StartTolerance, 0)
		switch {
		case err != nil:
			problems.add("startTolerance", "", "%v", err)
		case t.length() <= 0:
			problems.add("startTolerance", "leave it out for a window until the next instant", "got %q, want more than 0", s.StartTolerance)
		}
		w.tolerance = t.length()
	}
	return w
}

func (c cronWindows) window(at time.Time) Window {
	if at.IsZero() {
		return Window{}
	}
	w := Window{At: at, Until: c.schedule.Next(at), Unit: at, Open: c.tolerance == 0}
	if end := at.Add(c.tolerance); !w.Open && (w.Until.IsZero() || end.Before(w.Until)) {
		w.Until = end
	}
	if w.Until.IsZero() {
		w.Until = at.Add(longest)
	}
	return w
}

// longest is the maximum length of a window that has no next one.
const longest = 9 * 366 * 24 * time.Hour

func (c cronWindows) last(at time.Time) Window    { return c.window(c.schedule.Prev(at)) }
func (c cronWindows) next(after time.Time) Window { return c.window(c.schedule.Next(after)) }
