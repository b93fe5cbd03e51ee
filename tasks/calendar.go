package tasks

import (
	"fmt"
	"strings"
	"time"

	"botwork/internal/cron"
)

// calendarWindows opens one window in each day, week or month of a zone.
type calendarWindows struct {
	zone    *time.Location
	execute Execute

	day       int           // Weekly: 0 is Monday; Monthly: 1 to 31
	clock     time.Duration // Daily: since midnight
	tolerance tolerance
	whole     bool // no tolerance is set: until the unit's end
}

// searched is the maximum number of units that are checked for a window: only a day that a
// zone skipped has none.
const searched = 3

func (s Schedule) calendarWindows(zone *time.Location, problems *Problems) (windows, []string) {
	c := calendarWindows{zone: zone, execute: Execute(strings.ToLower(string(s.Execute))), whole: s.StartTolerance == ""}
	unit := 24 * time.Hour
	var err error
	switch c.execute {
	case Daily:
		unit = time.Hour
		c.clock, err = parseClock(s.StartAt)
	case Weekly:
		c.day, err = parseWeekday(s.StartAt)
	case Monthly:
		c.day, err = parseMonthDay(s.StartAt)
	default:
		problems.add("execute", "", "got %q, want daily, weekly or monthly", s.Execute)
		return c, nil
	}
	if err != nil {
		problems.add("startAt", "", "%v", err)
	}
	if !c.whole {
		if c.tolerance, err = parseTolerance(s.StartTolerance, unit); err != nil {
			problems.add("startTolerance", "", "%v", err)
		}
		if c.tolerance == (tolerance{}) {
			// Exactly that hour or day: no check would ever find a window without length.
			if c.tolerance.rest = time.Hour; c.execute != Daily {
				c.tolerance = tolerance{days: 1}
			}
		}
	}
	return c, c.explain()
}

// explain returns notes about differences between the schedule and its windows.
func (c calendarWindows) explain() []string {
	var notes []string
	if c.execute == Monthly && c.day > 28 {
		notes = append(notes, fmt.Sprintf("in a month that has no day %d, the window opens on its last day", c.day))
	}
	if c.whole {
		return append(notes, fmt.Sprintf("without a startTolerance the window stays open until the %s ends", c.unitName()))
	}
	shortest := map[Execute]time.Duration{Daily: 24 * time.Hour, Weekly: 7 * 24 * time.Hour, Monthly: 28 * 24 * time.Hour}[c.execute]
	if c.offset(28)+c.tolerance.length() > shortest {
		notes = append(notes, fmt.Sprintf("where the tolerance would reach beyond the %s, the window closes as the %s ends", c.unitName(), c.unitName()))
	}
	return notes
}

func (c calendarWindows) unitName() string {
	return map[Execute]string{Daily: "day", Weekly: "week", Monthly: "month"}[c.execute]
}

// offset is how long after the unit's start the window opens, in a month with that many days.
func (c calendarWindows) offset(daysInMonth int) time.Duration {
	switch c.execute {
	case Daily:
		return c.clock
	case Weekly:
		return time.Duration(c.day) * 24 * time.Hour
	default:
		return time.Duration(min(c.day, daysInMonth)-1) * 24 * time.Hour
	}
}

// unit returns the start, in wall-clock time, of the unit that contains an instant, moved by n
// units.
func (c calendarWindows) unit(at time.Time, move int) time.Time {
	year, month, day := at.In(c.zone).Date()
	switch c.execute {
	case Daily:
		return time.Date(year, month, day+move, 0, 0, 0, 0, time.UTC)
	case Weekly:
		date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		sinceMonday := (int(date.Weekday()) + 6) % 7
		return date.AddDate(0, 0, 7*move-sinceMonday)
	default:
		return time.Date(year, month+time.Month(move), 1, 0, 0, 0, 0, time.UTC)
	}
}

// window returns the window of the unit that begins at the naive time, or the
// zero Window when the unit has no room for it.
func (c calendarWindows) window(first time.Time) Window {
	after := first.AddDate(0, 0, 1)
	switch c.execute {
	case Weekly:
		after = first.AddDate(0, 0, 7)
	case Monthly:
		after = first.AddDate(0, 1, 0)
	}
	begin, end := cron.WallClock(first, c.zone), cron.WallClock(after, c.zone)
	start := first.Add(c.offset(after.AddDate(0, 0, -1).Day()))
	w := Window{At: cron.WallClock(start, c.zone), Until: end, Unit: begin}
	if !w.At.Before(end) {
		return Window{} // a day that the zone skipped
	}
	if c.whole {
		return w
	}
	// The wall clock counts: a day is a day though it has 23 hours. But hours
	// that the clocks leave out do not shorten a tolerance in hours, and none
	// may swallow the window.
	until := cron.WallClock(start.Add(c.tolerance.length()), c.zone)
	if least := w.At.Add(c.tolerance.rest); until.Before(least) {
		until = least
	}
	if !until.After(w.At) {
		until = w.At.Add(c.tolerance.length())
	}
	if until.Before(end) {
		w.Until = until
	}
	return w
}

func (c calendarWindows) last(at time.Time) Window {
	for move := range searched {
		if w := c.window(c.unit(at, -move)); !w.At.IsZero() && !w.At.After(at) {
			return w
		}
	}
	return Window{}
}

func (c calendarWindows) next(after time.Time) Window {
	for move := range searched {
		if w := c.window(c.unit(after, move)); w.At.After(after) {
			return w
		}
	}
	return Window{}
}
