package database

import (
	"testing"
	"time"
)

func TestTimeFormats(t *testing.T) {
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-31 13:45:07.250":         day.Add(13*time.Hour + 45*time.Minute + 7250*time.Millisecond),
		"2026-01-31 13:45:07":             day.Add(13*time.Hour + 45*time.Minute + 7*time.Second),
		"2026-01-31 13:45:07.123456":      day.Add(13*time.Hour + 45*time.Minute + 7123456*time.Microsecond),
		"2026-01-31T13:45:07.250":         day.Add(13*time.Hour + 45*time.Minute + 7250*time.Millisecond),
		"2026-01-31T13:45:07Z":            day.Add(13*time.Hour + 45*time.Minute + 7*time.Second),
		"2026-01-31T14:45:07+01:00":       day.Add(13*time.Hour + 45*time.Minute + 7*time.Second),
		"2026-01-31 14:45:07.5+01:00":     day.Add(13*time.Hour + 45*time.Minute + 7500*time.Millisecond),
		"2026-01-31 14:45:07.5 +0100 CET": day.Add(13*time.Hour + 45*time.Minute + 7500*time.Millisecond),
		"2026-01-31 13:45":                day.Add(13*time.Hour + 45*time.Minute),
		"2026-01-31T13:45":                day.Add(13*time.Hour + 45*time.Minute),
		"2026-01-31 13:45Z":               day.Add(13*time.Hour + 45*time.Minute),
		"2026-01-31":                      day,
		"2024-02-29 23:59:59.999":         time.Date(2024, 2, 29, 23, 59, 59, int(999*time.Millisecond), time.UTC),
		"0001-01-01 00:00:00.000":         {},
	} {
		var got Time
		if err := got.Scan(text); err != nil || !got.Valid || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%q is %v, %v; want %v", text, got.Time, err, want)
		}
	}
	for _, text := range []string{
		"", "tomorrow", "2026-02-31 00:00:00.000", "2026-13-01 00:00:00.000", "2026-01-31 24:00:00.000", "2026-01-31 13:60:00.000",
		"2026-01-31 13:45:60.000", "2026-00-10 00:00:00.000", "2026-01-31 13:45:07:250", "2026-01-31 13:45:07.25x", "1769867107", "dddd-dd-dd dd:dd:dd.ddd",
	} {
		var got Time
		if err := got.Scan(text); err == nil {
			t.Errorf("%q is %v; want an error", text, got.Time)
		}
	}
}

// FuzzTimesAsTheyAreWritten checks that parseWritten and parseTime return the same time.
func FuzzTimesAsTheyAreWritten(f *testing.F) {
	for _, text := range []string{"2026-01-31 13:45:07.250", "2026-02-29 00:00:00.000", "9999-12-31 23:59:59.999", "0000-00-00 00:00:00.000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		short, ok := parseWritten(text)
		long, err := time.Parse(TimeText, text)
		if ok && (err != nil || !short.Equal(long)) {
			t.Errorf("%q is %v with parseWritten; with parseTime %v, %v", text, short, long, err)
		}
		if !ok && err == nil && len(text) == len(TimeText) && long.Format(TimeText) == text {
			t.Errorf("parseWritten rejects %q, parseTime returns %v", text, long)
		}
	})
}
