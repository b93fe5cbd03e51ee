package tasks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the cases must not depend on the zones of the machine

	"botwork/tasks"
)

// failer is a testing.T, or a rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// plan compiles the JSON form of a schedule, as in a row.
func plan(t failer, text string) *tasks.Plan {
	t.Helper()
	var s tasks.Schedule
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// at parses a wall-clock time such as 2026-03-08T05:00 in a zone.
func at(t testing.TB, text string, zone *time.Location) time.Time {
	t.Helper()
	got, err := time.ParseInLocation("2006-01-02T15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Each case has the window that is open at an instant, in the time zone of the schedule; "" is
// none.
func TestOccurrence(t *testing.T) {
	const layout = "2006-01-02T15:04Z07:00"
	tests := map[string]struct{ schedule, now, opens, closes string }{
		"daily, the whole day":             {`{"execute": "daily"}`, "2026-11-21T23:59", "2026-11-21T00:00Z", "2026-11-22T00:00Z"},
		"daily, an old sample":             {`{"Execute": "Daily", "StartAt": 0, "StartTolerance": 24, "Active": true}`, "2026-11-21T12:00", "2026-11-21T00:00Z", "2026-11-22T00:00Z"},
		"daily, a tolerance beyond":        {`{"execute": "daily", "startAt": 1, "startTolerance": 31}`, "2026-11-21T12:00", "2026-11-21T01:00Z", "2026-11-22T00:00Z"},
		"daily, its first instant":         {`{"execute": "daily", "startAt": 8, "startTolerance": 2}`, "2026-11-21T08:00", "2026-11-21T08:00Z", "2026-11-21T10:00Z"},
		"daily, before":                    {`{"execute": "daily", "startAt": 8, "startTolerance": 2}`, "2026-11-21T07:59", "", ""},
		"daily, its end is not in it":      {`{"execute": "daily", "startAt": 8, "startTolerance": 2}`, "2026-11-21T10:00", "", ""},
		"daily, a time of day":             {`{"execute": "daily", "startAt": "15:30", "startTolerance": "90m"}`, "2026-11-21T16:59", "2026-11-21T15:30Z", "2026-11-21T17:00Z"},
		"daily, hour 24 is hour 0":         {`{"execute": "daily", "startAt": 24, "startTolerance": 1}`, "2026-11-21T00:30", "2026-11-21T00:00Z", "2026-11-21T01:00Z"},
		"daily, a tolerance of none":       {`{"execute": "daily", "startAt": 8, "startTolerance": 0}`, "2026-11-21T08:59", "2026-11-21T08:00Z", "2026-11-21T09:00Z"},
		"weekly, from Monday":              {`{"execute": "weekly"}`, "2026-11-22T23:59", "2026-11-16T00:00Z", "2026-11-23T00:00Z"},
		"weekly, 0 is Sunday":              {`{"execute": "weekly", "startAt": 0, "startTolerance": 3}`, "2026-11-22T12:00", "2026-11-22T00:00Z", "2026-11-23T00:00Z"},
		"weekly, 7 is Sunday":              {`{"execute": "weekly", "startAt": 7, "startTolerance": 3}`, "2026-11-22T12:00", "2026-11-22T00:00Z", "2026-11-23T00:00Z"},
		"weekly, no tolerance over Sunday": {`{"execute": "weekly", "startAt": 7, "startTolerance": 3}`, "2026-11-23T12:00", "", ""},
		"weekly, 1 is Monday":              {`{"execute": "weekly", "startAt": 1, "startTolerance": 2}`, "2026-11-17T12:00", "2026-11-16T00:00Z", "2026-11-18T00:00Z"},
		"weekly, a name":                   {`{"execute": "WEEKLY", "startAt": "Fri", "startTolerance": "36h"}`, "2026-11-21T11:59", "2026-11-20T00:00Z", "2026-11-21T12:00Z"},
		"weekly, the very day":             {`{"execute": "weekly", "startAt": 3, "startTolerance": 0}`, "2026-11-18T23:59", "2026-11-18T00:00Z", "2026-11-19T00:00Z"},
		"monthly":                          {`{"execute": "monthly", "startAt": 25, "startTolerance": 5}`, "2026-11-29T23:59", "2026-11-25T00:00Z", "2026-11-30T00:00Z"},
		"monthly, February ends it":        {`{"execute": "monthly", "startAt": 25, "startTolerance": 5}`, "2026-02-28T23:59", "2026-02-25T00:00Z", "2026-03-01T00:00Z"},
		"monthly, March begins without":    {`{"execute": "monthly", "startAt": 25, "startTolerance": 5}`, "2026-03-01T00:00", "", ""},
		"monthly, the 31st of 30 days":     {`{"execute": "monthly", "startAt": 31, "startTolerance": 2}`, "2026-11-30T12:00", "2026-11-30T00:00Z", "2026-12-01T00:00Z"},
		"monthly, the 31st in February":    {`{"execute": "monthly", "startAt": 31}`, "2026-02-28T12:00", "2026-02-28T00:00Z", "2026-03-01T00:00Z"},
		"monthly, the 30th in a leap year": {`{"execute": "monthly", "startAt": 30}`, "2028-02-29T12:00", "2028-02-29T00:00Z", "2028-03-01T00:00Z"},
		"monthly, not before the last day": {`{"execute": "monthly", "startAt": 31}`, "2026-11-29T23:59", "", ""},
		"cron, until the next":             {`{"cron": "0 6 * * mon-fri"}`, "2026-11-22T12:00", "2026-11-20T06:00Z", "2026-11-23T06:00Z"},
		"cron with a tolerance":            {`{"cron": "0 6 * * *", "startTolerance": "2h"}`, "2026-11-22T07:59", "2026-11-22T06:00Z", "2026-11-22T08:00Z"},
		"cron, behind its tolerance":       {`{"cron": "0 6 * * *", "startTolerance": "2h"}`, "2026-11-22T08:00", "", ""},
		"cron, the next one ends it":       {`{"cron": "0 */6 * * *", "startTolerance": "1d"}`, "2026-11-22T08:00", "2026-11-22T06:00Z", "2026-11-22T12:00Z"},

		"a day of 23 hours":           {`{"execute": "daily", "timezone": "America/New_York"}`, "2026-03-08T12:00", "2026-03-08T00:00-05:00", "2026-03-09T00:00-04:00"},
		"a day of 25 hours":           {`{"execute": "daily", "startAt": 0, "startTolerance": 24, "timezone": "America/New_York"}`, "2026-11-01T23:30", "2026-11-01T00:00-04:00", "2026-11-02T00:00-05:00"},
		"a start that is left out":    {`{"execute": "daily", "startAt": "02:30", "startTolerance": "15m", "timezone": "America/New_York"}`, "2026-03-08T03:10", "2026-03-08T03:00-04:00", "2026-03-08T03:15-04:00"},
		"a tolerance over the gap":    {`{"execute": "daily", "startAt": "01:30", "startTolerance": 1, "timezone": "America/New_York"}`, "2026-03-08T03:10", "2026-03-08T01:30-05:00", "2026-03-08T03:30-04:00"},
		"a start that comes twice":    {`{"execute": "daily", "startAt": "01:30", "startTolerance": "10m", "timezone": "America/New_York"}`, "2026-11-01T01:35", "2026-11-01T01:30-04:00", "2026-11-01T01:40-04:00"},
		"a week with a change":        {`{"execute": "weekly", "startAt": "sun", "startTolerance": 1, "timezone": "Europe/Lisbon"}`, "2026-03-29T12:00", "2026-03-29T00:00Z", "2026-03-30T00:00+01:00"},
		"a day that begins at one":    {`{"execute": "daily", "startAt": 0, "startTolerance": 2, "timezone": "America/Sao_Paulo"}`, "2018-11-04T01:30", "2018-11-04T01:00-02:00", "2018-11-04T03:00-02:00"},
		"a day that was left out":     {`{"execute": "weekly", "startAt": "fri", "startTolerance": 1, "timezone": "Pacific/Apia"}`, "2011-12-31T12:00", "2011-12-31T00:00+14:00", "2012-01-01T00:00+14:00"},
		"no window of a left-out day": {`{"execute": "daily", "startAt": 9, "startTolerance": 2, "timezone": "Pacific/Apia"}`, "2011-12-31T00:30", "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := plan(t, tt.schedule)
			now := at(t, tt.now, p.Zone())
			w, open := p.Occurrence(now)
			opens, closes := "", ""
			if open {
				opens, closes = w.At.In(p.Zone()).Format(layout), w.Until.In(p.Zone()).Format(layout)
			}
			if opens != tt.opens || closes != tt.closes {
				t.Errorf("%s at %s: window %q to %q, want %q to %q", tt.schedule, tt.now, opens, closes, tt.opens, tt.closes)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	for schedule, want := range map[string]string{
		`{"cron": "0 6 * * *"}`:                         "0001-01-01T00:00:00Z", // it may start until the next window opens
		`{"cron": "0 6 * * *", "startTolerance": "2h"}`: "2026-11-22T08:00:00Z",
		`{"execute": "daily"}`:                          "2026-11-23T00:00:00Z",
	} {
		w, ok := plan(t, schedule).Occurrence(time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC))
		if got := w.Deadline().Format(time.RFC3339); !ok || got != want {
			t.Errorf("%s: deadline %s, want %s", schedule, got, want)
		}
	}
}

func TestScheduleErrors(t *testing.T) {
	tests := map[string][]string{
		`{}`: {"want a schedule", "daily, weekly or monthly"},
		`{"cron": "0 6 * * *", "execute": "daily"}`: {"want cron or execute, not both"},
		`{"cron": "0 25 * * *", "startAt": 3, "timezone": "Mars"}`: {
			"startAt: want no startAt together with cron", `cron: cron "0 25 * * *": hour is "25"`, `timezone: unknown time zone "Mars"`,
		},
		`{"cron": "0 6 * * *", "startTolerance": 2}`:                      {`startTolerance: got "2", want a duration such as 90m`},
		`{"cron": "0 6 * * *", "startTolerance": "0s"}`:                   {"want more than 0"},
		`{"execute": "hourly"}`:                                           {`execute: got "hourly", want daily, weekly or monthly`},
		`{"execute": "daily", "startAt": 25, "startTolerance": -1}`:       {"startAt: got \"25\", want an hour from 0 to 24", `startTolerance: got "-1"`},
		`{"execute": "daily", "startAt": "24:30"}`:                        {"want an hour"},
		`{"execute": "daily", "startAt": "7:5"}`:                          {"want an hour"},
		`{"execute": "weekly", "startAt": 8, "startTolerance": "a week"}`: {"want a weekday", "want a number of days or a duration"},
		`{"execute": "monthly", "startAt": 0}`:                            {"want a day of the month, 1 to 31"},
		`{"execute": "monthly", "startAt": "", "startTolerance": 400}`:    {"want 0 to 366"},
	}
	for text, wants := range tests {
		var s tasks.Schedule
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		_, err := s.Compile()
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want it to say %q", text, err, want)
			}
		}
	}
}

func TestNotesReportClamping(t *testing.T) {
	for text, want := range map[string][]string{
		`{"execute": "monthly", "startAt": 31, "startTolerance": 2}`: {
			"in a month that has no day 31, the window opens on its last day",
			"where the tolerance would reach beyond the month, the window closes as the month ends",
		},
		`{"execute": "weekly", "startAt": "sun", "startTolerance": 2}`: {"where the tolerance would reach beyond the week, the window closes as the week ends"},
		`{"execute": "weekly", "startAt": "sat", "startTolerance": 2}`: nil,
		`{"execute": "daily", "startAt": 8}`:                           {"without a startTolerance the window stays open until the day ends"},
		`{"cron": "0 6 * * *"}`:                                        nil,
	} {
		if got := plan(t, text).Notes(); !slices.Equal(got, want) {
			t.Errorf("%s: notes %q, want %q", text, got, want)
		}
	}
}
