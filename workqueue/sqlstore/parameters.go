package sqlstore

import (
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode/utf16"
)

// nameLen and reasonLen are the lengths of the columns for names and reasons.
const (
	nameLen   = 200
	reasonLen = 1000
)

// null returns a text as a parameter: nil for "", else cleaned.
func null(text string) *string {
	if text == "" {
		return nil
	}
	text = clean(text)
	return &text
}

// jsonColumn returns a list or map in the form that its column stores; nil if it is empty.
func jsonColumn[T ~[]string | ~map[string]string](v T) (*string, error) {
	if len(v) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return new(clean(string(text))), err
}

// jsonTime formats a time for a JSON parameter; nil for the zero time.
func (s *connection) jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Format(s.engine.dialect().jsonTime))
}

// clean replaces invalid UTF-8 and zero bytes, which only SQLite can store, and which the
// output of another program may contain. An error instead would refuse the whole batch.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// clip truncates a text to the n characters that fit its column. It counts UTF-16 units like
// SQL Server; no character counts more on PostgreSQL.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for at, r := range text {
		if n -= utf16.RuneLen(r); n < 0 {
			return text[:at]
		}
	}
	return text
}

// longest is the most that every engine can add to a time: SQL Server counts seconds in 32
// bits.
const longest = math.MaxInt32 * time.Second

// ms rounds a duration up to whole milliseconds, and limits it to longest, 68 years.
func ms(d time.Duration) int64 {
	d = min(max(d, -longest), longest)
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// milliseconds converts the number in a column to a duration. A user may have written any
// number: negative numbers become 0, and larger ones the longest duration.
func milliseconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond
}
