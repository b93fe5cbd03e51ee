package tasks_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/tasks"
)

// zones change their clocks in both hemispheres, by half an hour, at midnight, or never; one
// skipped a day.
var zones = []string{
	"UTC", "Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "Asia/Kathmandu", "Pacific/Apia",
}

// drawn is a schedule of units with its meaning as separate fields for the oracle.
type drawn struct {
	text      string
	plan      *tasks.Plan
	execute   string
	start     int // the hour, the weekday from Monday as 0, the day of the month
	tolerance int // hours or days; -1: none was named
}

func drawSchedule(t *rapid.T) drawn {
	d := drawn{execute: rapid.SampledFrom([]string{"daily", "weekly", "monthly"}).Draw(t, "execute")}
	d.tolerance = rapid.IntRange(-1, 40).Draw(t, "tolerance")
	var written int
	switch d.execute {
	case "daily":
		written = rapid.IntRange(0, 24).Draw(t, "hour")
		d.start = written % 24
	case "weekly":
		written = rapid.IntRange(0, 7).Draw(t, "weekday")
		d.start = (written + 6) % 7
	case "monthly":
		written = rapid.IntRange(1, 31).Draw(t, "day")
		d.start = written
	}
	d.text = fmt.Sprintf(`{"execute": %q, "startAt": %d, "timezone": %q`, d.execute, written, rapid.SampledFrom(zones).Draw(t, "zone"))
	if d.tolerance >= 0 {
		d.text += fmt.Sprintf(`, "startTolerance": %d`, d.tolerance)
	}
	d.text += "}"
	d.plan = plan(t, d.text)
	return d
}

// In each unit of many years there is one window, in order, none outside its unit, and which
// one is open depends only on the instant.
func TestEveryUnitHasOneWindow(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		d := drawSchedule(t)
		zone := d.plan.Zone()
		year := rapid.IntRange(2009, 2040).Draw(t, "year")
		from := time.Date(year, 1, 1, 0, 0, 0, 0, zone)
		units := map[string]bool{}
		last := tasks.Window{}
		for at := from.Add(-1); ; {
			w := d.plan.Next(at)
			if w.At.Year() > year+2 {
				break
			}
			if !w.At.After(at) || w.At.Before(last.Until) {
				t.Fatalf("%s: %v follows %v", d.text, w, last)
			}
			if !w.At.Before(w.Until) || w.At.Before(w.Unit) {
				t.Fatalf("%s: the window is %v", d.text, w)
			}
			if !d.plan.Last(w.Until).At.Equal(w.At) && !d.plan.Last(w.Until).At.Equal(w.Until) {
				t.Fatalf("%s: Last(%v) = %v, want the window that ends then, or one that opens then", d.text, w.Until, d.plan.Last(w.Until))
			}
			moment := w.At.Add(time.Duration(rapid.Int64Range(0, int64(w.Until.Sub(w.At))-1).Draw(t, "moment")))
			if got, open := d.plan.Occurrence(moment); !open || got != w {
				t.Fatalf("%s: Occurrence(%v) = %v, %t, want %v", d.text, moment, got, open, w)
			}
			if got, open := d.plan.Occurrence(w.At.Add(-1)); open && !got.Until.Equal(w.At) {
				t.Fatalf("%s: before it opens, %v is open", d.text, got)
			}
			unit := d.unitOf(w.Unit.In(zone))
			if units[unit] {
				t.Fatalf("%s: a second window in the unit %s", d.text, unit)
			}
			units[unit] = true
			d.checkAgainstTheCalendar(t, w)
			at, last = w.At, w
		}
		// 2 to 3 years; the day that Apia skipped is not missed.
		want := map[string]int{"daily": 730, "weekly": 103, "monthly": 24}[d.execute]
		if len(units) < want {
			t.Fatalf("%s: %d windows in three years, want at least %d", d.text, len(units), want)
		}
	})
}

// unitOf returns the day, week or month that contains a local time.
func (d drawn) unitOf(local time.Time) string {
	switch d.execute {
	case "daily":
		return local.Format(time.DateOnly)
	case "weekly":
		year, week := local.ISOWeek()
		return fmt.Sprint(year, "W", week)
	default:
		return local.Format("2006-01")
	}
}

// checkAgainstTheCalendar compares the two ends of a window with the calculation of package
// time, if the clocks do not change on those days.
func (d drawn) checkAgainstTheCalendar(t *rapid.T, w tasks.Window) {
	zone := d.plan.Zone()
	open, end := w.At.In(zone), w.Until.Add(-1).In(zone)
	if d.unitOf(open) != d.unitOf(end) || d.unitOf(open) != d.unitOf(w.Unit.In(zone)) {
		t.Fatalf("%s: the window %v to %v leaves its unit", d.text, open, w.Until.In(zone))
	}
	_, before := w.Unit.Add(-36 * time.Hour).In(zone).Zone()
	_, after := w.Unit.Add(34 * 24 * time.Hour).In(zone).Zone()
	if before != after {
		return
	}
	var start, until time.Time
	year, month, day := w.Unit.In(zone).Date()
	days := max(d.tolerance, 1)
	switch d.execute {
	case "daily":
		start = time.Date(year, month, day, d.start, 0, 0, 0, zone)
		until = start.Add(time.Duration(days) * time.Hour)
	case "weekly":
		start = time.Date(year, month, day+d.start, 0, 0, 0, 0, zone)
		until = start.AddDate(0, 0, days)
	default:
		lastDay := time.Date(year, month+1, 0, 0, 0, 0, 0, zone).Day()
		start = time.Date(year, month, min(d.start, lastDay), 0, 0, 0, 0, zone)
		until = start.AddDate(0, 0, days)
	}
	if _, offset := start.Zone(); offset != before {
		return // the clocks changed there and back
	}
	unitEnd := map[string]time.Time{
		"daily": w.Unit.In(zone).AddDate(0, 0, 1), "weekly": w.Unit.In(zone).AddDate(0, 0, 7), "monthly": w.Unit.In(zone).AddDate(0, 1, 0),
	}[d.execute]
	if d.tolerance < 0 || until.After(unitEnd) {
		until = unitEnd
	}
	if !w.At.Equal(start) || !w.Until.Equal(until) {
		t.Fatalf("%s: the window is %v to %v, want %v to %v", d.text, open, w.Until.In(zone), start, until)
	}
}

// A tolerance in hours is never shortened by a clock change, only by the day's end.
func TestClockChangesDoNotShortenTolerance(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		hours := rapid.IntRange(1, 12).Draw(t, "hours")
		p := plan(t, fmt.Sprintf(`{"execute": "daily", "startAt": "%02d:%02d", "startTolerance": %d, "timezone": %q}`,
			rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute"), hours, zone))
		day := time.Date(rapid.IntRange(2009, 2040).Draw(t, "year"), 1, rapid.IntRange(1, 366).Draw(t, "day"), 12, 0, 0, 0, time.UTC)
		w := p.Next(day)
		end := p.Next(w.At).Unit
		if length := w.Until.Sub(w.At); length < time.Duration(hours)*time.Hour && !w.Until.Equal(end) {
			t.Fatalf("the window %v to %v has %s, want %d hours, or until the day ends at %v", w.At.In(p.Zone()), w.Until.In(p.Zone()), length, hours, end)
		}
	})
}
