package moments_test

import (
	"testing"
	"time"

	"botwork/internal/moments"
)

func TestParse(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 30, 8, 15, 30, 0, lisbon) // the clocks were set forward on the 29th
	for text, want := range map[string]string{
		"2026-01-31T13:45:00Z":      "2026-01-31T13:45:00Z",
		"2026-01-31T13:45:00+02:00": "2026-01-31T13:45:00+02:00",
		"2026-06-01":                "2026-06-01T00:00:00+01:00",
		"2026-01-31 13:45":          "2026-01-31T13:45:00Z",
		"06:00":                     "2026-03-30T06:00:00+01:00",
		"08:15:30":                  "2026-03-30T08:15:30+01:00",
		"08:16":                     "2026-03-29T08:16:00+01:00",
		"22:00":                     "2026-03-29T22:00:00+01:00",
		"now":                       "2026-03-30T08:15:30+01:00",
		"today":                     "2026-03-30T00:00:00+01:00",
		"yesterday":                 "2026-03-29T00:00:00Z",
		"yesterday 22:00":           "2026-03-29T22:00:00+01:00",
		"today 06:00":               "2026-03-30T06:00:00+01:00",
		"6h":                        "2026-03-30T02:15:30+01:00",
		"2d":                        "2026-03-28T07:15:30Z",
		"0s":                        "2026-03-30T08:15:30+01:00",
	} {
		if got, err := moments.Parse(text, now, lisbon); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("Parse(%q) = %s, %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	if got, err := moments.Parse("22:00", now, time.UTC); err != nil || got.Format(time.RFC3339) != "2026-03-29T22:00:00Z" {
		t.Errorf("in UTC: %s, %v, want 22:00 UTC of the day before", got, err)
	}
	for _, text := range []string{"", "tomorrow", "25:00", "yesterday 25:00", "yesterday 6h", "-6h", "6", "2026-02-30", "06:00 today", "Yesterday"} {
		if got, err := moments.Parse(text, now, lisbon); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, got)
		}
	}
}
