package tasks

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"botwork/internal/cron"
)

// Execute is the unit in which a task runs once.
type Execute string

// The units. A week begins on Monday.
const (
	Daily   Execute = "daily"
	Weekly  Execute = "weekly"
	Monthly Execute = "monthly"
)

// Schedule says when the windows of a task open and close, as it is written. It
// has either a cron expression or a unit.
type Schedule struct {
	// Cron opens a window at each of its instants. It lasts for StartTolerance,
	// or until the next one; an item of the latter has no deadline.
	Cron string `json:"cron,omitempty"`

	// Execute opens one window in each unit, Daily, Weekly or Monthly.
	Execute Execute `json:"execute,omitempty"`

	// StartAt is where in its unit the window opens: an hour (0 to 24, where 24
	// is 0) or a time such as 15:30; a weekday (1 is Monday, 0 and 7 are Sunday)
	// or its English name; a day of the month, 1 to 31, where a day that the
	// month lacks is its last. "" is the unit's begin.
	StartAt Text `json:"startAt,omitempty"`

	// StartTolerance is how long the window stays open: a number of hours for
	// Daily, of days for Weekly and Monthly, or a duration such as 90m or 3d.
	// 0 is the very hour or day. "" is until the unit's end, which no window
	// outlasts.
	StartTolerance Text `json:"startTolerance,omitempty"`

	// Timezone is whose wall clock counts, an IANA name or Local; "" is UTC.
	Timezone string `json:"timezone,omitempty"`

	// Inactive schedules open no windows: the task runs on request only.
	Active *bool `json:"active,omitempty"`
}

// Text is a value that may be written as a number or as text.
type Text string

// UnmarshalJSON takes a number or a text.
func (t *Text) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err == nil && len(data) > 0 && data[0] != '"' {
		*t = Text(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// MarshalJSON writes a number where it is one.
func (t Text) MarshalJSON() ([]byte, error) {
	if n, err := strconv.Atoi(string(t)); err == nil && strconv.Itoa(n) == string(t) {
		return []byte(t), nil
	}
	return json.Marshal(string(t))
}

// String tells the schedule in a few words: "monthly at 25, tolerance 5".
func (s Schedule) String() string {
	text := "cron " + s.Cron
	if s.Cron == "" {
		text = strings.ToLower(string(s.Execute))
	}
	if s.StartAt != "" {
		text += " at " + string(s.StartAt)
	}
	if s.StartTolerance != "" {
		text += ", tolerance " + string(s.StartTolerance)
	}
	if s.Active != nil && !*s.Active {
		text += " (not active)"
	}
	return text
}

// Plan is a schedule that has been understood. It is immutable.
type Plan struct {
	windows  windows
	zone     *time.Location
	notes    []string
	instants bool // of a cron expression
}

// windows is one way to lay out windows in time.
type windows interface {
	// last returns the latest window that opened at or before the instant, next
	// the first that opens behind it; none is the zero Window.
	last(at time.Time) Window
	next(after time.Time) Window
}

// Window is one stretch of time in which a task has to be started once: from At
// on and before Until, both in UTC.
type Window struct {
	At, Until time.Time

	// Unit is when the day, week or month begins that the window stands for; a
	// cron expression's is At. A record of the task from Unit on means that it
	// has been served, although its definition may have changed since.
	Unit time.Time

	// Open windows end because the next one begins: there is no deadline.
	Open bool
}

// Contains tells whether the window is open at now.
func (w Window) Contains(now time.Time) bool {
	return !w.At.IsZero() && !now.Before(w.At) && now.Before(w.Until)
}

// Deadline is when an item of the window must have started; zero: no bound.
func (w Window) Deadline() time.Time {
	if w.Open {
		return time.Time{}
	}
	return w.Until
}

// Compile reads the schedule. The error is a Problems with everything that is
// wrong; its fields are relative to the schedule.
func (s Schedule) Compile() (*Plan, error) {
	var problems Problems
	p := &Plan{zone: time.UTC}
	if s.Timezone != "" {
		zone, err := time.LoadLocation(s.Timezone)
		if err != nil {
			problems.add("timezone", "use a name such as Europe/Lisbon, or UTC", "unknown time zone %q", s.Timezone)
		} else {
			p.zone = zone
		}
	}
	switch {
	case s.Cron != "" && s.Execute != "":
		problems.add("execute", "", "want cron or execute, not both")
	case s.Cron != "":
		p.windows, p.instants = s.cronWindows(p.zone, &problems), true
	case s.Execute != "":
		p.windows, p.notes = s.calendarWindows(p.zone, &problems)
	default:
		problems.add("", "write cron, or execute: daily, weekly or monthly", "want a schedule")
	}
	return p, problems.err()
}

// Occurrence returns the window that is open at now, if one is. It depends on
// nothing but its arguments: every machine gets the same answer.
func (p *Plan) Occurrence(now time.Time) (Window, bool) {
	w := p.windows.last(now)
	return w, w.Contains(now)
}

// Last returns the latest window that opened at or before the instant; its At is
// zero when there is none.
func (p *Plan) Last(at time.Time) Window { return p.windows.last(at) }

// Next returns the first window that opens behind the instant; its At is zero
// when there is none within about nine years.
func (p *Plan) Next(after time.Time) Window { return p.windows.next(after) }

// counts tells whether a window matters to a task that is settled until then: a
// unit that has not ended does, but an instant of a cron expression that came
// before a task was defined is none of its.
func (p *Plan) counts(w Window, settled time.Time) bool {
	if p.instants {
		return !w.At.IsZero() && !w.At.Before(settled)
	}
	return !w.At.IsZero() && w.Until.After(settled)
}

// Zone is whose wall clock counts.
func (p *Plan) Zone() *time.Location { return p.zone }

// Notes say, in sentences, where the schedule is not to be taken by the letter.
func (p *Plan) Notes() []string { return p.notes }

// cronWindows opens a window at each instant of an expression.
type cronWindows struct {
	schedule  *cron.Schedule
	tolerance time.Duration // 0: until the next instant
}

func (s Schedule) cronWindows(zone *time.Location, problems *Problems) windows {
	if s.StartAt != "" {
		problems.add("startAt", "", "want no startAt beside cron, which says it")
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

// longest bounds a window behind which no other one comes.
const longest = 9 * 366 * 24 * time.Hour

func (c cronWindows) last(at time.Time) Window    { return c.window(c.schedule.Prev(at)) }
func (c cronWindows) next(after time.Time) Window { return c.window(c.schedule.Next(after)) }

// tolerance is a stretch of wall-clock time.
type tolerance struct {
	days int
	rest time.Duration
}

func (t tolerance) length() time.Duration { return time.Duration(t.days)*24*time.Hour + t.rest }

// maxTolerance is as much as any unit holds.
const maxTolerance = 366 * 24 * time.Hour

// parseTolerance reads a number of units (0 means that there is no unit to count
// by), or a duration such as 90m, 6h or 3d.
func parseTolerance(text Text, unit time.Duration) (tolerance, error) {
	const want = "a duration such as 90m, 6h or 3d"
	days, isDays := strings.CutSuffix(string(text), "d")
	if n, err := strconv.Atoi(days); err == nil {
		step := unit
		switch {
		case isDays:
			step = 24 * time.Hour
		case unit == 0:
			return tolerance{}, fmt.Errorf("got %q, want %s", text, want)
		}
		if n < 0 || n > int(maxTolerance/step) {
			return tolerance{}, fmt.Errorf("got %q, want 0 to %d", text, maxTolerance/step)
		}
		if step == 24*time.Hour {
			return tolerance{days: n}, nil
		}
		return tolerance{rest: time.Duration(n) * step}, nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d > maxTolerance {
		if unit > 0 {
			return tolerance{}, fmt.Errorf("got %q, want a number of %ss or %s", text, unitName(unit), want)
		}
		return tolerance{}, fmt.Errorf("got %q, want %s", text, want)
	}
	return tolerance{rest: d}, nil
}

func unitName(unit time.Duration) string {
	if unit == time.Hour {
		return "hour"
	}
	return "day"
}
