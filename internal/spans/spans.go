// Package spans reads and writes lengths of time in one way, wherever a person
// meets them: "90s", "1h30m", "7d".
package spans

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// day is what a day of a length of time is, whatever clocks do in it.
const day = 24 * time.Hour

// Pattern is a regular expression for what Parse reads, without sign and without
// ^ and $. It knows no bounds.
const Pattern = `([0-9]+d|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)`

// Parse reads "90s", "1h30m", "250ms" or a whole number of days ("7d"). A bare
// number is refused, since its unit would be a guess. A sign may stand before
// each: whoever wants no negative length of time says so in its own words.
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

// Text writes a length of time as Parse reads it, without the zero parts that
// time.Duration adds, and whole days as days: "15m", not "15m0s", and "7d", not
// "168h0m0s".
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
