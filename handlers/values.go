package handlers

import (
	"fmt"
	"time"
)

// Duration is a length of time in a pipeline file: "90s", "1h30m", "250ms".
// A bare number is refused, since its unit would be a guess.
type Duration time.Duration

// UnmarshalText parses a duration as time.ParseDuration does, and takes a
// whole number of days as well ("7d").
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as time.Duration does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d Duration) String() string { return time.Duration(d).String() }

// ParseDuration parses "90s", "1h30m", "250ms" or a whole number of days
// ("7d"; a day is 24 hours).
func ParseDuration(text string) (time.Duration, error) {
	var days int64
	var rest string
	if n, err := fmt.Sscanf(text, "%dd%s", &days, &rest); n == 1 && err != nil && rest == "" {
		if days > int64(time.Duration(1<<63-1)/(24*time.Hour)) || days < 0 {
			return 0, fmt.Errorf("duration %q: out of range", text)
		}
		return time.Duration(days) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("duration %q: want a number with a unit, such as 90s, 15m, 2h or 7d", text)
	}
	return d, nil
}
