package cli

import (
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/moments"
	"botwork/workqueue"
)

// ParseTime parses a time from the command line.
func ParseTime(text string) (time.Time, error) {
	if at, ok := moments.Absolute(text, time.Local); ok {
		return at, nil
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
