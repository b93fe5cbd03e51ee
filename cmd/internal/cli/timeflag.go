package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/handlers"
)

// TimeForms describes what [ParseMoment] accepts, for the help of a command.
const TimeForms = `Times are RFC 3339 (2026-01-31T13:45:00Z), local times (2026-01-31, "2026-01-31 13:45"),
times of day (06:00 is the latest 06:00 before now), today, yesterday, "yesterday 22:00",
now, or how long ago (6h, 7d). With --utc they are in UTC.`

// TimeFlag adds a flag for a time and returns its value as a function: the zero time if the flag is
// not given. Call it when the command runs.
func TimeFlag(cmd *cobra.Command, s *Streams, name, usage string) func() (time.Time, error) {
	var text string
	cmd.Flags().StringVar(&text, name, "", usage)
	return func() (time.Time, error) {
		if text == "" {
			return time.Time{}, nil
		}
		at, err := ParseMoment(text, time.Now(), s.Zone())
		if err != nil {
			return at, Usagef("--%s: %v", name, err)
		}
		return at, nil
	}
}

// ParseMoment parses a time that a person gives relative to now; see [TimeForms]. Times without a
// zone are in the given one.
func ParseMoment(text string, now time.Time, zone *time.Location) (time.Time, error) {
	now = now.In(zone)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range localTimes {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
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
		if d, err := handlers.ParseDuration(text); err == nil && d >= 0 {
			return now.Add(-d), nil
		}
	}
	return time.Time{}, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z, \"2026-01-31 13:45\", 06:00, yesterday, \"yesterday 22:00\", or 6h for six hours ago", text)
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
