package cron

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// field is one field of an expression: its name, its valid values, and the part of the
// underlying parser that parses it.
type field struct {
	name   string
	values string
	option cron.ParseOption
}

var fields = []field{
	{"second", "0-59", cron.Second},
	{"minute", "0-59", cron.Minute},
	{"hour", "0-23", cron.Hour},
	{"day of month", "1-31", cron.Dom},
	{"month", "1-12 or jan-dec", cron.Month},
	{"day of week", "0-6 or sun-sat (Sunday is 0)", cron.Dow},
}

// element matches one element of a field: a star, a value or a range of values, with an
// optional step.
var element = regexp.MustCompile(`^([*?]|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?$`)

// sixFields parses a whole expression, including seconds.
var sixFields = cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// descriptors are replaced by expressions, so that the daylight-saving rule can use their
// hour field.
var descriptors = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

// Parse parses a cron expression for the wall clock of zone (nil is UTC). It returns an
// error for a field out of range, for a zone inside the expression, and for a date that
// no calendar has.
func Parse(spec string, zone *time.Location, dst DST) (*Schedule, error) {
	if err := dst.validate(); err != nil {
		return nil, err
	}
	if zone == nil {
		zone = time.UTC
	}
	if dst == "" {
		dst = First
	}
	texts, err := split(spec)
	if err != nil {
		return nil, fmt.Errorf("cron %q: %w", spec, err)
	}
	for i, text := range texts {
		if err := fields[i].check(text); err != nil {
			return nil, fmt.Errorf("cron %q: %w", spec, err)
		}
	}
	parsed, err := sixFields.Parse(strings.Join(texts, " "))
	if err != nil {
		return nil, fmt.Errorf("cron %q: %w", spec, err)
	}
	bits := *parsed.(*cron.SpecSchedule) // the parser returns this type for everything except descriptors
	bits.Location = time.UTC             // it is only used with naive time
	w := &wall{spec: bits, zone: zone, dst: dst, elapsed: freeHour(texts[2], bits.Hour)}
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	if w.naiveFrom(start, start.Add(horizon)).IsZero() {
		return nil, fmt.Errorf("cron %q: never fires: no year has day of month %s in month %s", spec, texts[3], texts[4])
	}
	return &Schedule{plan: w}, nil
}

// split returns the six fields of an expression, seconds first.
func split(spec string) ([]string, error) {
	trimmed := strings.TrimSpace(spec)
	switch {
	case strings.HasPrefix(trimmed, "TZ="), strings.HasPrefix(trimmed, "CRON_TZ="):
		return nil, fmt.Errorf("a zone inside the expression is not supported; hint: write timezone: %s beside it", zoneName(trimmed))
	case strings.HasPrefix(trimmed, "@every"):
		return nil, fmt.Errorf("@every is not a cron expression; hint: write every: %s instead", everyHint(trimmed))
	case trimmed == "@reboot":
		return nil, errors.New("@reboot is not a cron expression; hint: write atStart: true instead")
	case strings.HasPrefix(trimmed, "@"):
		full, ok := descriptors[trimmed]
		if !ok {
			return nil, errors.New("unknown descriptor, want @hourly, @daily, @weekly, @monthly or @yearly")
		}
		trimmed = full
	}
	texts := strings.Fields(trimmed)
	switch len(texts) {
	case 5:
		return slices.Insert(texts, 0, "0"), nil
	case 6:
		return texts, nil
	}
	return nil, fmt.Errorf("got %d fields, want 5 (minute, hour, day of month, month, day of week) or 6 (second first)", len(texts))
}

func zoneName(spec string) string {
	prefix, _, _ := strings.Cut(spec, " ")
	_, name, _ := strings.Cut(prefix, "=")
	return name
}

func everyHint(spec string) string {
	if d := strings.TrimSpace(strings.TrimPrefix(spec, "@every")); d != "" {
		return d
	}
	return "90s"
}

// check checks the elements of a list one by one, because the underlying parser does not
// report which field is invalid. That parser also accepts some invalid texts, such as an
// empty element or *-5, so check first compares the form.
func (f field) check(text string) error {
	parser := cron.NewParser(f.option)
	for part := range strings.SplitSeq(text, ",") {
		if element.MatchString(part) {
			if _, err := parser.Parse(part); err == nil {
				continue
			}
		}
		got := fmt.Sprintf("%q", part)
		if part != text {
			got = fmt.Sprintf("%q in %q", part, text)
		}
		return fmt.Errorf("%s is %s, want %s; as a value, *, a step (*/5), a range from low to high (1-5) or a list (1,5)", f.name, got, f.values)
	}
	return nil
}

// freeHour reports whether the hour field allows every hour, so that only the minutes and
// seconds define the schedule. A star with a step counts, as in cron; to follow the wall
// clock, list the hours: 0-23/6, not */6.
func freeHour(text string, hours uint64) bool {
	const all = 1<<24 - 1
	if hours&all == all {
		return true
	}
	star := strings.HasPrefix(text, "*") || strings.HasPrefix(text, "?")
	return star && !strings.Contains(text, ",")
}
