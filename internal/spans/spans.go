// Package spans parses and formats durations in the same way wherever a user reads or
// writes them: "90s", "1h30m", "7d".
package spans

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// day is always 24 hours, also on days on which clocks change.
const day = 24 * time.Hour

// Pattern is a regular expression for the texts that Parse accepts, without a sign and
// without ^ and $. It does not check the range.
const Pattern = `([0-9]+d|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)`

// Parse parses "90s", "1h30m", "250ms" or a whole number of days ("7d"). It rejects a
// number without a unit, because the unit would be a guess. The text may start with a
// sign; callers that do not accept negative durations must check that.
func Parse(text string) (time.Duration, error) {
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.ParseInt(number, 10, 64)
		if most := math.MaxInt64 / int64(day); err == nil && (days < -most || days > most) {
			return 0, fmt.Errorf("duration %q: out of range", text)
		}
		if err == nil {
			return time.Duration(days) * day, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || text == "0" {
		return 0, fmt.Errorf("duration %q: want a number with a unit, such as 90s, 15m, 2h or 7d", text)
	}
	return d, nil
}

// Text formats a duration as Parse reads it, without the zero parts that time.Duration
// adds, and whole days as days: "15m", not "15m0s", and "7d", not "168h0m0s".
func Text(d time.Duration) string {
	if d != 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
