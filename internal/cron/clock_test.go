package cron_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/cron"
	"botwork/internal/testgroup"
)

func TestWallClock(t *testing.T) {
	tests := []struct{ zone, reading, want string }{
		{"UTC", "2026-03-08T02:30", "2026-03-08T02:30:00Z"},
		{"America/New_York", "2026-03-08T01:59", "2026-03-08T01:59:00-05:00"},
		{"America/New_York", "2026-03-08T02:30", "2026-03-08T03:00:00-04:00"}, // skipped
		{"America/New_York", "2026-03-08T03:00", "2026-03-08T03:00:00-04:00"},
		{"America/New_York", "2026-11-01T01:30", "2026-11-01T01:30:00-04:00"}, // the first of two
		{"America/New_York", "2026-11-01T02:00", "2026-11-01T02:00:00-05:00"},
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-04T02:30:00+11:00"},
		{"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T01:00:00-02:00"}, // a day that starts at one
		{"Pacific/Apia", "2011-12-30T09:00", "2011-12-31T00:00:00+14:00"},      // a day that was skipped
		{"Asia/Kathmandu", "2026-01-31T23:59", "2026-01-31T23:59:00+05:45"},
	}
	for _, tt := range tests {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		got := cron.WallClock(local(t, tt.reading, time.UTC), zone)
		if want := instant(t, tt.want); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("WallClock(%s, %s) = %v, want %v", tt.reading, tt.zone, got.In(zone), want)
		}
	}
	if got, want := cron.WallClock(local(t, "2026-03-08T02:30", time.UTC), nil), instant(t, "2026-03-08T02:30:00Z"); !got.Equal(want) {
		t.Errorf("without a zone: %v, want %v", got, want)
	}
}

// TestWallClockIsWhatASchedulePlans checks that a schedule with that fixed hour plans the
// same instant, on days with and without clock changes.
func TestWallClockIsWhatASchedulePlans(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		change := rapid.SampledFrom(changes).Draw(t, "change")
		zone, err := time.LoadLocation(change.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, change.day)
		if err != nil {
			t.Fatal(err)
		}
		reading := day.Add(time.Duration(rapid.IntRange(-24*60, 48*60).Draw(t, "minute")) * time.Minute)
		s, err := cron.Parse(reading.Format("4 15 2 1 *"), zone, cron.First)
		if err != nil {
			t.Fatal(err)
		}
		got := cron.WallClock(reading, zone)
		if want := s.Next(reading.Add(-100 * time.Hour)); !got.Equal(want) {
			t.Fatalf("WallClock(%v, %s) = %v, the schedule plans %v", reading, change.zone, got.In(zone), want.In(zone))
		}
	})
}
