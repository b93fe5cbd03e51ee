package newitems

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"botwork/internal/moments"
	"botwork/internal/spans"
	"botwork/pipelines"
	"botwork/workqueue"
)

// UniqueUntilDone is the text for an item that is unique until it has ended.
const UniqueUntilDone = "done"

// ParseTime parses a time; without a zone, it is in the given one.
func ParseTime(text string, zone *time.Location) (time.Time, error) {
	if at, ok := moments.Absolute(text, zone); ok {
		return at, nil
	}
	where := "local time"
	if zone == time.UTC {
		where = "UTC"
	}
	return time.Time{}, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z, or 2026-01-31 13:45 in %s", text, where)
}

// ParseEstimate parses how long a run is expected to take.
func ParseEstimate(text string) (time.Duration, error) {
	d, err := spans.Parse(text)
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
	d, err := spans.Parse(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("got %q, want no negative duration", text)
	}
	return d, err
}

// ParsePositive parses a duration above 0.
func ParsePositive(text string) (time.Duration, error) {
	d, err := spans.Parse(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("got %q, want more than 0s", text)
	}
	return d, err
}

// ParseUniqueFor parses the time for which an item must be unique.
func ParseUniqueFor(text string) (time.Duration, error) {
	d, err := ParseWait(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("got %q, want more than 0s", text)
	}
	return d, err
}

// Resilience checks that data is an item's retry policy and returns it like [JSON].
func Resilience(data []byte) (workqueue.JSONText, error) {
	policy, err := JSON(data)
	if err == nil {
		_, err = workqueue.ParseResilience(policy)
	}
	return policy, err
}

// JSON checks that data is one JSON value in UTF-8 and returns it without surrounding white space.
func JSON(data []byte) (workqueue.JSONText, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return "", errors.New("it is empty")
	}
	if !utf8.Valid(data) {
		return "", errors.New("it is not UTF-8")
	}
	if err := pipelines.CheckJSON(data); err != nil {
		return "", err
	}
	return workqueue.JSONText(data), nil
}
