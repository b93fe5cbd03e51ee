package spans_test

import (
	"testing"
	"time"

	"botwork/internal/spans"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s":     90 * time.Second,
		"1h30m":   90 * time.Minute,
		"250ms":   250 * time.Millisecond,
		"7d":      7 * 24 * time.Hour,
		"-5s":     -5 * time.Second,
		"-7d":     -7 * 24 * time.Hour,
		"0s":      0,
		"0d":      0,
		"106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := spans.Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "7", "0", "-7", "7 d", "1.5d", "--1d", "106752d", "-106752d", "7days", "d", "ten"} {
		if got, err := spans.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, got)
		}
	}
}

func TestTextIsReadAsItWasMeant(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"15m": 15 * time.Minute, "2h": 2 * time.Hour, "1h30m": 90 * time.Minute, "1m30s": 90 * time.Second,
		"0s": 0, "1h0m5s": time.Hour + 5*time.Second, "7d": 7 * 24 * time.Hour, "-1d": -24 * time.Hour, "25h": 25 * time.Hour,
	} {
		if got := spans.Text(d); got != want {
			t.Errorf("Text(%v) = %q, want %q", d, got, want)
		}
		if got, err := spans.Parse(want); err != nil || got != d {
			t.Errorf("Parse(%q) = %v, %v, want %v", want, got, err, d)
		}
	}
}
