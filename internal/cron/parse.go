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

// field is one field of an expression: how people call it, what it takes, and
// the part of the underlying parser that reads it.
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

// element is the shape of one element of a field: a star or a value or a range
// of them, and perhaps a step.
var element = regexp.MustCompile(`^([*?]|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?$`)

// sixFields reads a whole expression, seconds included.
var sixFields = cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// descriptors are written out as expressions, so that the daylight-saving rule
// reads their hour field like any other.
var descriptors = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

// Parse reads a cron expression whose wall clock is that of zone (nil is UTC).
// It refuses what the expression cannot mean: a field out of range, a zone
// inside the expression, a date that no calendar has.
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
	bits := *parsed.(*cron.SpecSchedule) // what the parser makes of anything but a descriptor
	bits.Location = time.UTC             // it is only ever asked about naive time
	w := &wall{spec: bits, zone: zone, dst: dst, elapsed: freeHour(texts[2], bits.Hour)}
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	if w.naiveFrom(start, start.Add(horizon)).IsZero() {
		return nil, fmt.Errorf("cron %q: never fires: no year has day of month %s in month %s", spec, texts[3], texts[4])
	}
	return &Schedule{plan: w}, nil
}

// split returns the six fields of an expression, second first.
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

// check reads the elements of a list one by one, because the underlying parser
// does not say which field it stumbled over. It also takes some nonsense in
// silence, such as an empty element or *-5, so the shape is looked at first.
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

// freeHour says whether the hour field leaves the hour open, so that the minutes
// and seconds alone set the rhythm. A star with a step counts, as it does in
// cron; to tie a rhythm to the wall clock, name the hours: 0-23/6, not */6.
func freeHour(text string, hours uint64) bool {
	const all = 1<<24 - 1
	if hours&all == all {
		return true
	}
	star := strings.HasPrefix(text, "*") || strings.HasPrefix(text, "?")
	return star && !strings.Contains(text, ",")
}
