package cli

import (
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// localTimes are the layouts of local times without a zone.
var localTimes = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// ParseTime parses a time from the command line.
func ParseTime(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range localTimes {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z, or 2026-01-31 13:45 in local time", text)
}

// ParseEstimate parses how long a run is expected to take.
func ParseEstimate(text string) (time.Duration, error) {
	d, err := handlers.ParseDuration(text)
	if err == nil {
		err = workqueue.CheckEstimate(d)
	}
	return d, err
}

// ParseWait parses a duration that is not negative; "" is 0.
func ParseWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := handlers.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("got %q, want no negative duration", text)
	}
	return d, err
}
