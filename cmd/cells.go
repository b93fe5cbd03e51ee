package cmd

import (
	"fmt"
	"strings"
	"time"

	"botwork/handlers"
)

// shortHash is as much of the hash of a pipeline's text as tells it from others.
func shortHash(hash *string) string {
	const enough = 12
	if hash == nil {
		return ""
	}
	return (*hash)[:min(len(*hash), enough)]
}

// short fits a text into a cell: its first line, at most n characters.
func short(s string, n int) string {
	line, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	runes := []rune(strings.TrimRight(line, "\r"))
	if len(runes) <= n && (!more || strings.TrimSpace(rest) == "") {
		return string(runes)
	}
	return string(runes[:min(len(runes), n-1)]) + "…"
}

// instant shows a time in UTC; "" for none.
func instant(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// orDash stands for what is not there.
func orDash[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

// itemCount is "no items", "1 item" or "2 items".
func itemCount(n int) string {
	if n == 0 {
		return "no items"
	}
	return count(n, "item")
}

// orNull is nil for "".
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// durationText is "" for none.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return handlers.Duration(d).String()
}
