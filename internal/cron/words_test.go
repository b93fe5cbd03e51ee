package cron_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/cron"
	"botwork/internal/testgroup"
)

func TestWords(t *testing.T) {
	for spec, want := range map[string]string{
		"30 6 * * *":         "every day at 06:30 Europe/Berlin",
		"0 6,18 * * *":       "every day at 06:00 and 18:00 Europe/Berlin",
		"0,30 6 * * *":       "every day at 06:00 and 06:30 Europe/Berlin",
		"0 */6 * * *":        "every day at 00:00, 06:00, 12:00 and 18:00 Europe/Berlin",
		"15 */2 * * *":       "every 2 hours from 00:15 to 22:15 Europe/Berlin",
		"0 8-17 * * mon-fri": "every hour from 08:00 to 17:00 Europe/Berlin, Monday to Friday",
		"30 6 * * mon-fri":   "Monday to Friday at 06:30 Europe/Berlin",
		"30 6 * * sun":       "every Sunday at 06:30 Europe/Berlin",
		"30 6 * * 0,6":       "every Saturday and Sunday at 06:30 Europe/Berlin",
		"0 5 * * 1,3,5":      "every Monday, Wednesday and Friday at 05:00 Europe/Berlin",
		"0 0 1 * *":          "on day 1 of each month at 00:00 Europe/Berlin",
		"@monthly":           "on day 1 of each month at 00:00 Europe/Berlin",
		"0 0 1,15 * *":       "on days 1 and 15 of each month at 00:00 Europe/Berlin",
		"0 0 1-7 * *":        "on days 1 to 7 of each month at 00:00 Europe/Berlin",
		"0 0 31 * *":         "on day 31 of the months that have it at 00:00 Europe/Berlin",
		"@yearly":            "on day 1 of January at 00:00 Europe/Berlin",
		"0 9 1 1,7 *":        "on day 1 of January and July at 09:00 Europe/Berlin",
		"0 9 * dec *":        "every day in December at 09:00 Europe/Berlin",
		"0 9 * dec mon":      "every Monday in December at 09:00 Europe/Berlin",
		"* * * * *":          "every minute",
		"*/5 * * * *":        "every 5 minutes",
		"*/5 * * * * *":      "every 5 seconds",
		"* * * * * *":        "every second",
		"30 * * * * *":       "every minute at second 30",
		"*/5 * * * 1-5":      "every 5 minutes, Monday to Friday, Europe/Berlin",
		"*/5 8-17 * * *":     "every 5 minutes from 08:00 to 17:55 Europe/Berlin",
		"@hourly":            "every hour at minute 0, Europe/Berlin",
		"0,30 * * * *":       "every 30 minutes",
		"5,35 * * * *":       "every hour at minute 5 and 35, Europe/Berlin",

		// What has no short sentence, and what would be a wrong one.
		"0 0 13 * fri":           "", // either of them
		"0 0 */2 * fri":          "", // a step is no star
		"0 0 29 2 *":             "", // not every year
		"0 0 15,30 * *":          "", // not in February
		"*/7 * * * *":            "", // 4 minutes from :56 to :00
		"*/5 8,17 * * *":         "",
		"1-50 8 * * *":           "",
		"0 0 1 1-11 *":           "",
		"15 30 6 * * *":          "",
		"0 1,3,4,7,8,9,11 * * *": "",
		"nothing":                "",
		"0 0 30 2 *":             "",
	} {
		if got := cron.Words(spec, "Europe/Berlin"); got != want {
			t.Errorf("Words(%q) = %q, want %q", spec, got, want)
		}
	}
}

func TestIntervalWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "every minute", 5 * time.Minute: "every 5 minutes", time.Hour: "every hour", 90 * time.Second: "every 1 minute 30 seconds",
		90 * time.Minute: "every 1 hour 30 minutes", 24 * time.Hour: "every 24 hours", 1500 * time.Millisecond: "every 1.5s", time.Second: "every second",
	} {
		if got := cron.IntervalWords(d); got != want {
			t.Errorf("IntervalWords(%v) = %q, want %q", d, got, want)
		}
	}
}

// What a sentence says is true: in five weeks, or 500 firings, the schedule fires in exactly the minutes that a
// reader of the sentence expects.
func TestWordsAreTrue(t *testing.T) {
	element := func(least, most int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			a, b := rapid.IntRange(least, most).Draw(t, "a"), rapid.IntRange(least, most).Draw(t, "b")
			switch rapid.IntRange(0, 5).Draw(t, "form") {
			case 0, 1:
				return "*"
			case 2:
				return fmt.Sprintf("*/%d", rapid.SampledFrom([]int{1, 2, 3, 5, 6, 7, 10, 15, 20, 30}).Draw(t, "step"))
			case 3:
				return fmt.Sprintf("%d-%d", min(a, b), max(a, b))
			case 4:
				return fmt.Sprintf("%d,%d", a, b)
			}
			return strconv.Itoa(a)
		})
	}
	said := 0
	testgroup.Check(t, 25, func(t *rapid.T) {
		spec := strings.Join([]string{
			element(0, 59).Draw(t, "minute"), element(0, 23).Draw(t, "hour"), element(1, 31).Draw(t, "day"), element(1, 12).Draw(t, "month"), element(0, 6).Draw(t, "weekday"),
		}, " ")
		words := cron.Words(spec, "UTC")
		if words == "" {
			return
		}
		said++
		schedule, err := cron.Parse(spec, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		times, onDay := reader(t, words)
		at := time.Date(2027, time.Month(rapid.IntRange(1, 12).Draw(t, "from")), 1, 0, 0, 0, 0, time.UTC)
		next := schedule.Next(at.Add(-1))
		for fired, day := 0, 0; day < 35 && fired < 500; day++ {
			wanted := onDay(at)
			for _, inTime := range times {
				fires := next.Equal(at)
				if fires {
					fired++
					next = schedule.Next(at)
				}
				if fires != (wanted && inTime) {
					t.Fatalf("%q is %q; at %v it fires: %v", spec, words, at, fires)
				}
				at = at.Add(time.Minute)
			}
		}
	})
	if said < 10 {
		t.Errorf("only %d expressions had a sentence", said)
	}
}

var (
	namedTimes = regexp.MustCompile(`[0-9]{2}:[0-9]{2}`)
	everyN     = regexp.MustCompile(`^every (?:([0-9]+) )?(minute|hour)s?( from ([0-9:]+) to ([0-9:]+))?`)
	atMinutes  = regexp.MustCompile(`at minute ([0-9, and]+)`)
	ofDates    = regexp.MustCompile(`on days? ([0-9, andto]+) of (the months|[A-Za-z, ]+?)(?: that| at|, UTC|$)`)
	inMonths   = regexp.MustCompile(` in ([A-Z][A-Za-z, ]+?)(?: at|, UTC|$)`)
	dayRange   = regexp.MustCompile(`([A-Z][a-z]+day) to ([A-Z][a-z]+day)`)
)

// reader returns the minutes of a day, and the days, that a person who reads the sentence expects.
func reader(t *rapid.T, words string) (times [24 * 60]bool, onDay func(at time.Time) bool) {
	number := func(text string) int {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		return n
	}
	list := func(text string) []string {
		return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, " and ", ","), ", ", ","), ",")
	}
	numbers := func(text string) (all []int) {
		if a, b, isRange := strings.Cut(text, " to "); isRange {
			for n := number(a); n <= number(b); n++ {
				all = append(all, n)
			}
			return all
		}
		for _, n := range list(text) {
			all = append(all, number(n))
		}
		return all
	}
	clock := func(text string) int { return number(text[:2])*60 + number(text[3:]) }

	if m := atMinutes.FindStringSubmatch(words); m != nil {
		for _, minute := range numbers(strings.TrimSuffix(strings.TrimSpace(m[1]), ",")) {
			for hour := range 24 {
				times[hour*60+minute] = true
			}
		}
	} else if m := everyN.FindStringSubmatch(words); m != nil {
		step, first, last := 1, 0, 24*60-1
		if m[1] != "" {
			step = number(m[1])
		}
		if m[2] == "hour" {
			step *= 60
		}
		if m[3] != "" {
			first, last = clock(m[4]), clock(m[5])
		}
		for at := first; at <= last; at += step {
			times[at] = true
		}
	} else {
		for _, at := range namedTimes.FindAllString(words, -1) {
			times[clock(at)] = true
		}
	}
	onDates := func(time.Time) bool { return true }
	if m := ofDates.FindStringSubmatch(words); m != nil {
		dates := numbers(m[1])
		onDates = func(at time.Time) bool {
			return slices.Contains(dates, at.Day()) && (strings.HasSuffix(m[2], "month") || strings.HasSuffix(m[2], "months") || slices.Contains(list(m[2]), at.Month().String()))
		}
	} else if m := dayRange.FindStringSubmatch(words); m != nil {
		var days []string
		for d := range 14 { // from Monday on, so that a range may end on Sunday
			name := time.Weekday((d + 1) % 7).String()
			if name == m[1] || len(days) > 0 {
				days = append(days, name)
				if name == m[2] {
					break
				}
			}
		}
		onDates = func(at time.Time) bool { return slices.Contains(days, at.Weekday().String()) }
	} else if strings.Contains(strings.ReplaceAll(words, "every day", ""), "day") {
		onDates = func(at time.Time) bool { return strings.Contains(words, at.Weekday().String()) }
	}
	inMonth := func(time.Time) bool { return true }
	if m := inMonths.FindStringSubmatch(words); m != nil {
		inMonth = func(at time.Time) bool { return slices.Contains(list(m[1]), at.Month().String()) }
	}
	return times, func(at time.Time) bool { return onDates(at) && inMonth(at) }
}
