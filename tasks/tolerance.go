package tasks

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tolerance is a period of wall-clock time.
type tolerance struct {
	days int
	rest time.Duration
}

func (t tolerance) length() time.Duration { return time.Duration(t.days)*24*time.Hour + t.rest }

// maxTolerance is the length of the longest unit.
const maxTolerance = 366 * 24 * time.Hour

// parseTolerance parses a number of units (not allowed if unit is 0), or a duration such as
// 90m, 6h or 3d.
func parseTolerance(text Text, unit time.Duration) (tolerance, error) {
	const want = "a duration such as 90m, 6h or 3d"
	days, isDays := strings.CutSuffix(string(text), "d")
	if n, err := strconv.Atoi(days); err == nil {
		step := unit
		switch {
		case isDays:
			step = 24 * time.Hour
		case unit == 0:
			return tolerance{}, fmt.Errorf("got %q, want %s", text, want)
		}
		if n < 0 || n > int(maxTolerance/step) {
			return tolerance{}, fmt.Errorf("got %q, want 0 to %d", text, maxTolerance/step)
		}
		if step == 24*time.Hour {
			return tolerance{days: n}, nil
		}
		return tolerance{rest: time.Duration(n) * step}, nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d > maxTolerance {
		if unit > 0 {
			return tolerance{}, fmt.Errorf("got %q, want a number of %ss or %s", text, unitName(unit), want)
		}
		return tolerance{}, fmt.Errorf("got %q, want %s", text, want)
	}
	return tolerance{rest: d}, nil
}

func unitName(unit time.Duration) string {
	if unit == time.Hour {
		return "hour"
	}
	return "day"
}
