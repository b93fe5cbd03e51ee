package spans

import (
	"regexp"
	"strings"
)

// words maps the units as people write them to the units that Parse accepts.
var words = map[string]string{
	"ms": "ms", "msec": "ms", "msecs": "ms", "millis": "ms", "millisecond": "ms", "milliseconds": "ms",
	"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
	"d": "d", "day": "d", "days": "d",
}

var part = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([A-Za-z]+)[, ]*`)

// Guess returns a duration in the form that Parse accepts for a text that Parse rejects:
// "30s" for "30 sec", "1h30m" for "1 hour 30 minutes". It returns false for a number
// without a unit, because the unit is unknown.
func Guess(text string) (meant string, ok bool) {
	rest := strings.TrimSpace(text)
	var b strings.Builder
	for rest != "" {
		found := part.FindStringSubmatch(rest)
		if found == nil {
			return "", false
		}
		unit := words[strings.ToLower(found[2])]
		if unit == "" || found[2] == "M" {
			return "", false // M may be months
		}
		b.WriteString(found[1] + unit)
		rest = rest[len(found[0]):]
	}
	if _, err := Parse(b.String()); err != nil || b.String() == text {
		return "", false
	}
	return b.String(), true
}
