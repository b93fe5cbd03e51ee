// Package moments reads times as people write them: "06:00", "yesterday 22:00", "7d".
package moments

import (
	"fmt"
	"strings"
	"time"

	"botwork/internal/spans"
)

// layouts are the forms of times without a zone.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// Absolute parses a time in RFC 3339, or a date and time in the zone.
func Absolute(text string, zone *time.Location) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Parse parses a time that a person gives relative to now: an absolute time, a time of day (the latest one before
// now), today, yesterday, "yesterday 22:00", now, or how long ago. Times without a zone are in the
// given one.
func Parse(text string, now time.Time, zone *time.Location) (time.Time, error) {
	now = now.In(zone)
	if at, ok := Absolute(text, zone); ok {
		return at, nil
	}
	day, clock, both := strings.Cut(text, " ")
	back, named := map[string]int{"today": 0, "yesterday": 1}[day]
	switch {
	case text == "now":
		return now, nil
	case named && !both:
		return onDay(now, back, time.Time{}), nil
	case named:
		if at, ok := timeOfDay(clock); ok {
			return onDay(now, back, at), nil
		}
	default:
		if at, ok := timeOfDay(text); ok {
			if today := onDay(now, 0, at); !today.After(now) {
				return today, nil
			}
			return onDay(now, 1, at), nil
		}
		if d, err := spans.Parse(text); err == nil && d >= 0 {
			return now.Add(-d), nil
		}
	}
	return time.Time{}, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z, \"2026-01-31 13:45\", 06:00, yesterday, \"yesterday 22:00\", or 6h for six hours ago", text)
}

// Coming parses a time after now: an absolute time, a time of day (the next one after now),
// "tomorrow 06:00", or how far ahead (6h, 7d). Times without a zone are in the given one.
func Coming(text string, now time.Time, zone *time.Location) (time.Time, error) {
	now = now.In(zone)
	if at, ok := Absolute(text, zone); ok {
		return at, nil
	}
	day, clock, both := strings.Cut(text, " ")
	switch {
	case both && day == "tomorrow":
		if at, ok := timeOfDay(clock); ok {
			return onDay(now, -1, at), nil
		}
	case text == "tomorrow":
		return onDay(now, -1, time.Time{}), nil
	default:
		if at, ok := timeOfDay(text); ok {
			if today := onDay(now, 0, at); today.After(now) {
				return today, nil
			}
			return onDay(now, -1, at), nil
		}
		if d, err := spans.Parse(text); err == nil && d > 0 {
			return now.Add(d), nil
		}
	}
	return time.Time{}, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z, \"2026-01-31 13:45\", 18:00, \"tomorrow 06:00\", or 6h for six hours from now", text)
}

// onDay returns a time of day of the day that is the given number of days before now.
func onDay(now time.Time, back int, at time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day-back, at.Hour(), at.Minute(), at.Second(), 0, now.Location())
}

func timeOfDay(text string) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
