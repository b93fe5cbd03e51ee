package cli

import (
	"fmt"
	"time"

	"botwork/handlers"
)

// localTimes are the forms of a time without a zone, which is local then.
var localTimes = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// ParseTime reads a time as a person writes it.
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

// ParseWait reads a length of time that is not negative; "" is 0.
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
