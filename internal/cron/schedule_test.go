package cron_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/cron"
)

func TestIntervalsAreMultiplesSinceTheEpoch(t *testing.T) {
	tests := []struct {
		every             time.Duration
		at, next, current string
	}{
		{90 * time.Second, "1970-01-01T00:00:00Z", "1970-01-01T00:01:30Z", "1970-01-01T00:00:00Z"},
		{90 * time.Second, "1970-01-01T00:01:29.999999999Z", "1970-01-01T00:01:30Z", "1970-01-01T00:00:00Z"},
		{90 * time.Second, "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "1969-12-31T23:58:30Z"},
		{1500 * time.Millisecond, "1970-01-01T00:00:04.2Z", "1970-01-01T00:00:04.5Z", "1970-01-01T00:00:03Z"},
		{24 * time.Hour, "2026-03-08T12:00:00-05:00", "2026-03-09T00:00:00Z", "2026-03-08T00:00:00Z"},
		{7 * 24 * time.Hour, "2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z", "2026-02-26T00:00:00Z"}, // 1970 began on a Thursday
	}
	for _, tt := range tests {
		s, err := cron.Every(tt.every)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Next(instant(t, tt.at)).Format(time.RFC3339Nano); got != tt.next {
			t.Errorf("every %v: Next(%s) = %s, want %s", tt.every, tt.at, got, tt.next)
		}
		if got := s.Prev(instant(t, tt.at)).Format(time.RFC3339Nano); got != tt.current {
			t.Errorf("every %v: Prev(%s) = %s, want %s", tt.every, tt.at, got, tt.current)
		}
	}
}

func TestBetween(t *testing.T) {
	s := parse(t, "0 * * * *", "UTC", cron.First)
	from, to := instant(t, "2026-01-01T00:00:00Z"), instant(t, "2026-01-01T03:00:00Z")
	hours := func(n ...int) (list []time.Time) {
		for _, h := range n {
			list = append(list, time.Date(2026, 1, 1, h, 0, 0, 0, time.UTC))
		}
		return list
	}
	tests := map[string]struct {
		from, to time.Time
		limit    int
		want     []time.Time
	}{
		"leaves out the start and takes the end": {from, to, 9, hours(1, 2, 3)},
		"stops before an end in between":         {from, to.Add(-1), 9, hours(1, 2)},
		"keeps the earliest when limited":        {from, to, 2, hours(1, 2)},
		"is empty without room":                  {from, to, 0, nil},
		"is empty when nothing comes due":        {from, from.Add(time.Minute), 9, nil},
		"is empty backwards":                     {to, from, 9, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, s.Between(tt.from, tt.to, tt.limit)); diff != "" {
				t.Errorf("Between (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrev(t *testing.T) {
	tests := []struct{ spec, zone, at, want string }{
		{"0 9 * * *", "UTC", "2026-01-02T09:00:00Z", "2026-01-02T09:00:00Z"},
		{"0 9 * * *", "UTC", "2026-01-02T08:59:59.999999999Z", "2026-01-01T09:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2104-02-28T00:00:00Z", "2096-02-29T00:00:00Z"}, // 2100 is not a leap year
		{"30 2 * * *", "America/New_York", "2026-03-08T12:00:00Z", "2026-03-08T07:00:00Z"},
		{"30 1 * * *", "America/New_York", "2026-11-01T06:45:00Z", "2026-11-01T05:30:00Z"},
	}
	for _, tt := range tests {
		s := parse(t, tt.spec, tt.zone, cron.First)
		if got := s.Prev(instant(t, tt.at)).Format(time.RFC3339Nano); got != tt.want {
			t.Errorf("%q in %s: Prev(%s) = %s, want %s", tt.spec, tt.zone, tt.at, got, tt.want)
		}
	}
}

// TestSearchesCrossTheCenturyGap checks eight years without a 29 February: longer than
// the underlying parser searches, and, in a zone whose rules package time has to
// extrapolate, across the last day of leap years.
func TestSearchesCrossTheCenturyGap(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Lisbon"} {
		s := parse(t, "0 0 29 2 *", zone, cron.First)
		got := s.Next(instant(t, "2096-03-01T00:00:00Z")).Format(time.RFC3339)
		if want := "2104-02-29T00:00:00Z"; got != want {
			t.Errorf("Next in %s = %s, want %s", zone, got, want)
		}
	}
}

// TestSkipLeavesTheRestOfTheYears: in the tested years, Lisbon's gap was on a 31st only
// on 31 March 2019 and 2024, when 01:30 did not exist.
func TestSkipLeavesTheRestOfTheYears(t *testing.T) {
	s := parse(t, "30 1 31 3 *", "Europe/Lisbon", cron.Skip)
	got := s.Between(instant(t, "2018-01-01T00:00:00Z"), instant(t, "2026-01-01T00:00:00Z"), 10)
	var years []int
	for _, at := range got {
		years = append(years, at.Year())
	}
	if diff := cmp.Diff([]int{2018, 2020, 2021, 2022, 2023, 2025}, years); diff != "" {
		t.Errorf("years that fire (-want +got):\n%s", diff)
	}
}

func parse(t *testing.T, spec, zone string, dst cron.DST) *cron.Schedule {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cron.Parse(spec, loc, dst)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
