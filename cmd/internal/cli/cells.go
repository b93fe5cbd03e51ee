package cli

import (
	"fmt"
	"strings"
	"time"

	"botwork/internal/spans"
)

// ShortHash is the part of a pipeline's hash that is enough to recognise it.
func ShortHash(hash *string) string {
	const enough = 12
	if hash == nil {
		return ""
	}
	return (*hash)[:min(len(*hash), enough)]
}

// Shorten fits a text into a cell: its first line, at most n characters.
func Shorten(s string, n int) string {
	line, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	runes := []rune(strings.TrimRight(line, "\r"))
	if len(runes) <= n && (!more || strings.TrimSpace(rest) == "") {
		return string(runes)
	}
	return string(runes[:min(len(runes), n-1)]) + "…"
}

// Instant returns a time for tables: local, with its offset from UTC, or in UTC with --utc. It
// returns "" for nil.
func (s *Streams) Instant(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.In(s.Zone()).Format("2006-01-02 15:04:05Z07:00")
}

// Zone is the time zone in which times are shown and, without a zone of their own, read: the local
// one, or UTC with --utc.
func (s *Streams) Zone() *time.Location {
	if s.UTC {
		return time.UTC
	}
	return time.Local
}

// OrDash returns the value, or "-" for nil.
func OrDash[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

// ItemCount is "no items", "1 item" or "2 items".
func ItemCount(n int) string {
	if n == 0 {
		return "no items"
	}
	return Count(n, "item")
}

// OrNull is nil for "".
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func OrNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// DurationText is "" for none.
func DurationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return spans.Text(d)
}
