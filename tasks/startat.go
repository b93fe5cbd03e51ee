package tasks

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseClock parses an hour, 0 to 24, or a time such as 15:30.
func parseClock(text Text) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	hour, minute, ok := strings.Cut(string(text), ":")
	h, err := strconv.Atoi(hour)
	m := 0
	if ok && err == nil {
		m, err = strconv.Atoi(minute)
		if len(minute) != 2 {
			err = strconv.ErrSyntax
		}
	}
	if err != nil || h < 0 || h > 24 || m < 0 || m > 59 || h == 24 && m > 0 {
		return 0, fmt.Errorf("got %q, want an hour from 0 to 24, or a time such as 15:30", text)
	}
	return (time.Duration(h)*time.Hour + time.Duration(m)*time.Minute) % (24 * time.Hour), nil
}

// parseWeekday parses 0 (Sunday) to 7 (Sunday again) or a name; in the result Monday is 0.
func parseWeekday(text Text) (int, error) {
	if text == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 && n <= 7 {
		return (n + 6) % 7, nil
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := day.String()
		if strings.EqualFold(string(text), name) || strings.EqualFold(string(text), name[:3]) {
			return (int(day) + 6) % 7, nil
		}
	}
	return 0, fmt.Errorf("got %q, want a weekday: 1 (Monday) to 7 (Sunday), 0 is Sunday too, or a name such as monday or mon", text)
}

// parseMonthDay parses a day of the month.
func parseMonthDay(text Text) (int, error) {
	if text == "" {
		return 1, nil
	}
	if n, err := strconv.Atoi(string(text)); err == nil && n >= 1 && n <= 31 {
		return n, nil
	}
	return 0, fmt.Errorf("got %q, want a day of the month, 1 to 31", text)
}
