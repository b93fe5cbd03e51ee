package database

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
)

// TimeText is the format of times in SQLite, as strftime writes them. All times are UTC,
// so the texts sort like the times.
const TimeText = "2006-01-02 15:04:05.000"

// Time scans a time from any engine: a time, or a text in SQLite. The result is UTC.
// Valid is false for NULL.
type Time struct {
	time.Time
	Valid bool
}

// timeLayouts are the formats that strftime, users and other tools write.
var timeLayouts = []string{
	TimeText, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.RFC3339Nano,
	"2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02",
	"2006-01-02 15:04:05.999999999 -0700 MST",
}

// parseTime parses a time in one of timeLayouts, with or without a Z for UTC.
func parseTime(text string) (time.Time, bool) {
	if t, ok := parseWritten(text); ok {
		return t, true
	}
	for _, text := range []string{text, strings.TrimSuffix(text, "Z")} {
		for _, layout := range timeLayouts {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// parseWritten parses a time that has exactly the format TimeText, as this program writes
// it. It is fast, because a claim parses a dozen times for each item.
func parseWritten(text string) (time.Time, bool) {
	const shape = "dddd-dd-dd dd:dd:dd.ddd"
	if len(text) != len(shape) {
		return time.Time{}, false
	}
	var n [7]int
	part := 0
	for i := range len(shape) {
		switch digit := text[i] - '0'; {
		case shape[i] == 'd' && digit <= 9:
			n[part] = 10*n[part] + int(digit)
		case shape[i] != 'd' && shape[i] == text[i]:
			part++
		default:
			return time.Time{}, false
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6]*int(time.Millisecond), time.UTC)
	// time.Date changes 31 February to 3 March.
	there := t.Day() == n[2] && int(t.Month()) == n[1] && t.Hour() == n[3] && t.Minute() == n[4] && t.Second() == n[5]
	return t, there
}

// Scan implements sql.Scanner.
func (t *Time) Scan(src any) error {
	*t = Time{}
	var text string
	switch v := src.(type) {
	case nil:
		return nil
	case time.Time:
		*t = Time{Time: v.UTC(), Valid: true}
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("read a time: got %T", src)
	}
	if parsed, ok := parseTime(text); ok {
		*t = Time{Time: parsed, Valid: true}
		return nil
	}
	return fmt.Errorf("read a time: %q is not a time; want the form 2026-01-31 13:45:00.000 in UTC", text)
}

// Value implements driver.Valuer, which gorm requires; SQL statements write times.
func (t Time) Value() (driver.Value, error) {
	if !t.Valid {
		return nil, nil
	}
	return t.Time, nil
}

// Pointer returns the time, or nil for NULL.
func (t Time) Pointer() *time.Time {
	if !t.Valid {
		return nil
	}
	at := t.Time
	return &at
}
