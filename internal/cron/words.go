package cron

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// mostTimes bounds the times of day and the days that a sentence lists.
const mostTimes = 6

// Words describes an expression in a short sentence with the name of its zone, such as "every day
// at 06:30 Europe/Berlin" or "every 5 minutes". It returns "" for an expression that has no short
// sentence, and for one that is not valid. The sentence names times of the wall clock; what a DST
// policy does to them is not part of it.
func Words(spec, zone string) string {
	if _, err := Parse(spec, nil, First); err != nil {
		return ""
	}
	texts, err := split(spec)
	if err != nil {
		return ""
	}
	parsed, err := sixFields.Parse(strings.Join(texts, " "))
	if err != nil {
		return ""
	}
	s := parsed.(*cron.SpecSchedule) // the parser returns this type for everything except descriptors
	days, ok := dayWords(s)
	if !ok {
		return ""
	}
	second, minute, hour := valuesOf(s.Second, 0, 59), valuesOf(s.Minute, 0, 59), valuesOf(s.Hour, 0, 23)
	var text string
	switch {
	case len(hour) == 24 && len(minute) == 60: // by the second
		text = everyWords(second, 60, "second")
		if text == "" && len(second) == 1 {
			text = fmt.Sprintf("every minute at second %d", second[0])
			if second[0] == 0 {
				text = "every minute"
			}
		}
	case len(second) != 1 || second[0] != 0:
	case len(hour) == 24:
		text = everyWords(minute, 60, "minute")
		if text == "" && len(minute) <= mostTimes {
			text = "every hour at minute " + listWords(minute, "%d") + ", " + zone // zones differ by half hours, too
			zone = ""
		}
	case len(minute)*len(hour) > mostTimes && len(minute) > 1 && contiguous(hour):
		if text = everyWords(minute, 60, "minute"); text != "" {
			text += fmt.Sprintf(" from %02d:00 to %02d:%02d %s", hour[0], hour[len(hour)-1], minute[len(minute)-1], zone)
			zone = ""
		}
	case len(minute) == 1 && len(hour) > mostTimes:
		if text = everyWords(hour, 24, "hour"); text == "" && contiguous(hour) {
			text = "every hour"
		}
		if text != "" {
			text += fmt.Sprintf(" from %02d:%02d to %02d:%02d %s", hour[0], minute[0], hour[len(hour)-1], minute[0], zone)
			zone = ""
		}
	}
	if text != "" {
		if days != "" {
			text += ", " + days
			if zone != "" {
				text += ", " + zone
			}
		}
		return text
	}
	if len(second) != 1 || second[0] != 0 || len(minute)*len(hour) > mostTimes {
		return ""
	}
	var times []string
	for _, h := range hour {
		for _, m := range minute {
			times = append(times, fmt.Sprintf("%02d:%02d", h, m))
		}
	}
	if days == "" {
		days = "every day"
	}
	return days + " at " + andWords(times) + " " + zone
}

// FollowsClock reports whether the expression has fixed hours, so that a DST policy matters.
func FollowsClock(spec string) bool {
	s, err := Parse(spec, nil, First)
	if err != nil {
		return false
	}
	return !s.plan.(*wall).elapsed
}

// dayWords describes the days on which an expression fires; "" is every day. It returns false for
// days that have no short description.
func dayWords(s *cron.SpecSchedule) (text string, ok bool) {
	const star = 1 << 63
	dates, weekdays, months := valuesOf(s.Dom, 1, 31), valuesOf(s.Dow, 0, 6), valuesOf(s.Month, 1, 12)
	allDates, allWeekdays := len(dates) == 31, len(weekdays) == 7
	if s.Dom&star == 0 && s.Dow&star == 0 {
		// Two fields without a star: a day that satisfies either one matches.
		if !allDates && !allWeekdays {
			return "", false
		}
		allDates, allWeekdays = true, true
	}
	inMonths := ""
	if len(months) < 12 {
		if len(months) > mostTimes {
			return "", false
		}
		var names []string
		for _, m := range months {
			names = append(names, time.Month(m).String())
		}
		inMonths = andWords(names)
	}
	switch {
	case !allDates && !allWeekdays: // both have to match
		return "", false
	case !allDates:
		text, ok = dateWords(dates, inMonths)
		return text, ok
	case !allWeekdays:
		text = weekdayWords(weekdays)
	case inMonths != "":
		text = "every day"
	}
	if inMonths != "" {
		text += " in " + inMonths
	}
	return text, true
}

// dateWords describes days of the month.
func dateWords(dates []int, inMonths string) (text string, ok bool) {
	of := inMonths
	if of == "" {
		of = "each month"
	}
	last := dates[len(dates)-1]
	switch {
	case last > 28 && (len(dates) > 1 || inMonths != ""):
		return "", false // not all months have the day
	case last > 28:
		return fmt.Sprintf("on day %d of the months that have it", last), true
	case len(dates) == 1:
		return fmt.Sprintf("on day %d of %s", last, of), true
	case len(dates) > 2 && contiguous(dates):
		return fmt.Sprintf("on days %d to %d of %s", dates[0], last, of), true
	case len(dates) <= mostTimes:
		return "on days " + listWords(dates, "%d") + " of " + of, true
	}
	return "", false
}

// weekdayWords describes days of the week, Monday first.
func weekdayWords(days []int) string {
	if days[0] == 0 {
		days = append(days[1:], 7)
	}
	if len(days) > 2 && contiguous(days) {
		return fmt.Sprintf("%s to %s", time.Weekday(days[0]%7), time.Weekday(days[len(days)-1]%7))
	}
	var names []string
	for _, d := range days {
		names = append(names, time.Weekday(d%7).String())
	}
	return "every " + andWords(names)
}

// everyWords describes values that follow each other at the same distance all around the clock:
// "every 5 minutes". It returns "" for others.
func everyWords(values []int, around int, unit string) string {
	if len(values) < 2 || values[0] != 0 || around%len(values) != 0 {
		return ""
	}
	step := around / len(values)
	for i, v := range values {
		if v != i*step {
			return ""
		}
	}
	if step == 1 {
		return "every " + unit
	}
	return fmt.Sprintf("every %d %ss", step, unit)
}

// valuesOf lists the values of a field.
func valuesOf(field uint64, least, most int) []int {
	values := make([]int, 0, bits.OnesCount64(field))
	for v := least; v <= most; v++ {
		if field&(1<<v) != 0 {
			values = append(values, v)
		}
	}
	return values
}

func contiguous(values []int) bool { return values[len(values)-1]-values[0] == len(values)-1 }

func listWords(values []int, format string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprintf(format, v)
	}
	return andWords(texts)
}

// andWords writes a list: "a, b and c".
func andWords(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}

// IntervalWords describes an interval: "every 5 minutes", "every 1 hour 30 minutes".
func IntervalWords(d time.Duration) string {
	if d <= 0 || d%time.Second != 0 {
		return "every " + d.String()
	}
	var parts []string
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		n := d / u.long
		d %= u.long
		switch {
		case n == 1:
			parts = append(parts, "1 "+u.name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, u.name))
		}
	}
	if len(parts) == 1 {
		return "every " + strings.TrimPrefix(parts[0], "1 ")
	}
	return "every " + strings.Join(parts, " ")
}
