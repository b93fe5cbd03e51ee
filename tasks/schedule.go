package tasks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Execute is the unit in which a task runs once.
type Execute string

// The units. A week starts on Monday.
const (
	Daily   Execute = "daily"
	Weekly  Execute = "weekly"
	Monthly Execute = "monthly"
)

// Schedule is the text form of when the windows of a task open and close. It has either a cron
// expression or a unit.
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

	// StartTolerance is how long the window stays open: a number of hours for Daily, of days for
	// Weekly and Monthly, or a duration such as 90m or 3d. 0 is exactly that hour or day. "" is
	// until the unit's end; a window never ends later.
	StartTolerance Text `json:"startTolerance,omitempty"`

	// Timezone is an IANA name or Local; "" is UTC.
	Timezone string `json:"timezone,omitempty"`

	// Inactive schedules open no windows: the task runs only on request.
	Active *bool `json:"active,omitempty"`
}

// Text is a value that may be written as a number or as text.
type Text string

// UnmarshalJSON accepts a number or a string.
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

// String describes the schedule in a few words: "monthly at 25, tolerance 5".
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

// Compile parses the schedule. The error is a Problems with all errors; its fields are
// relative to the schedule.
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
