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

// null makes a text ready to be a parameter: nil for "", and clean.
func null(text string) *string {
	if text == "" {
		return nil
	}
	text = clean(text)
	return &text
}

// jsonColumn is a list or a map as its column holds it; nil when it is empty.
func jsonColumn[T ~[]string | ~map[string]string](v T) (*string, error) {
	if len(v) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return new(clean(string(text))), err
}

// jsonTime writes a time for a JSON parameter; nil for the zero time.
func (s *Store) jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Format(s.engine.dialect().jsonTime))
}

// clean replaces what no engine but SQLite stores in a text, broken UTF-8 and
// zero bytes, which the output of a foreign program may well hold. Refusing
// it would refuse the whole batch that it came with.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// clip cuts a text to the n signs that fit its column. A sign counts as SQL
// Server does, by UTF-16 units; PostgreSQL counts no sign as more.
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

// longest is the most that any engine adds to a time: SQL Server counts the
// seconds in 32 bits.
const longest = math.MaxInt32 * time.Second

// ms rounds a duration up to whole milliseconds. What lies beyond longest, 68
// years, is cut to it.
func ms(d time.Duration) int64 {
	d = min(max(d, -longest), longest)
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// milliseconds is a column's number as a duration. A hand may have written
// anything: less than 0 is 0, and too much the longest there is.
func milliseconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond
}
