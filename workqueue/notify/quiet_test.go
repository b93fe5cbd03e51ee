package notify_test

import (
	"testing"
	"time"

	"botwork/workqueue/notify"
)

func TestQuietHours(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	night := notify.Quiet{From: 22 * 60, To: 7 * 60, Zone: lisbon}
	lunch := notify.Quiet{From: 12 * 60, To: 13*60 + 30, Zone: lisbon}
	weekend := notify.Quiet{From: 0, To: 24 * 60, Zone: lisbon, Days: []time.Weekday{time.Saturday, time.Sunday}}
	friday := notify.Quiet{From: 22 * 60, To: 7 * 60, Zone: lisbon, Days: []time.Weekday{time.Friday}}
	gap := notify.Quiet{From: 90, To: 150, Zone: lisbon} // 01:30 to 02:30
	for _, c := range []struct {
		name  string
		quiet notify.Quiet
		at    string // UTC
		want  bool
	}{
		{"before the night", night, "2026-01-15T21:59:59Z", false},
		{"its first minute", night, "2026-01-15T22:00:00Z", true},
		{"midnight", night, "2026-01-16T00:00:00Z", true},
		{"its last second", night, "2026-01-16T06:59:59Z", true},
		{"its end", night, "2026-01-16T07:00:00Z", false},
		{"in summer the wall is an hour ahead", night, "2026-07-15T21:00:00Z", true},
		{"and so is the morning", night, "2026-07-16T06:00:00Z", false},
		{"lunch", lunch, "2026-01-15T13:29:00Z", true},
		{"after lunch", lunch, "2026-01-15T13:30:00Z", false},
		{"saturday", weekend, "2026-01-17T00:00:00Z", true},
		{"sunday night", weekend, "2026-01-18T23:59:59Z", true},
		{"monday", weekend, "2026-01-19T00:00:00Z", false},
		{"the night that begins on a friday", friday, "2026-01-17T03:00:00Z", true},
		{"the night that begins on a saturday", friday, "2026-01-18T03:00:00Z", false},
		{"friday morning belongs to thursday", friday, "2026-01-16T03:00:00Z", false},
		// On 29 March the wall goes from 00:59 to 02:00: the hours are 30 minutes long.
		{"the wall skips the start", gap, "2026-03-29T01:00:00Z", true},
		{"their end is as on the wall", gap, "2026-03-29T01:30:00Z", false},
		{"just before the change", gap, "2026-03-29T00:59:00Z", false},
		// On 25 October the wall shows 01:00 to 02:00 twice.
		{"the first 01:30", gap, "2026-10-25T00:30:00Z", true},
		{"the second 01:15", gap, "2026-10-25T01:15:00Z", false},
		{"the second 01:30", gap, "2026-10-25T01:30:00Z", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.quiet.Holds(at); got != c.want {
				t.Errorf("Holds(%s) = %v, want %v; the wall shows %s", c.at, got, c.want, at.In(lisbon).Format("Mon 15:04"))
			}
		})
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"erp", "erp", true}, {"erp", "erp2", false}, {"erp-*", "erp-mail", true}, {"*", "", true}, {"*", "a/b", true}, {"a*c", "a[b]c", true}, {"a*c", "a?b", false}, {`a\*`, `a\b`, true},
	} {
		if got := notify.Matches(c.pattern, c.name); got != c.want {
			t.Errorf("Matches(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
