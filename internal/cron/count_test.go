package cron_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/cron"
	"botwork/internal/testgroup"
)

// Count agrees with a search, across changes of the clocks and on calm days.
func TestCount(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		d := draw(t)
		s := d.schedule(t)
		if len(d.minutes) == 0 {
			d.minutes = []int{0} // a search for each minute is slow
			s = d.schedule(t)
		}
		from := d.from.Add(time.Duration(rapid.IntRange(-96*60, 96*60).Draw(t, "from")) * time.Minute)
		to := from.Add(time.Duration(rapid.IntRange(-60, 7*24*60).Draw(t, "long")) * time.Minute)
		want := len(s.Between(from.Add(-1), to.Add(-1), 100_000))
		if got := s.Count(from, to); got != want {
			t.Errorf("Count(%v, %v) = %d, want %d", from, to, got, want)
		}
	})
}

func TestCountOfIntervals(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		every    time.Duration
		from, to time.Time
		want     int
	}{
		{time.Minute, at, at.AddDate(0, 0, 1), 1440}, {time.Minute, at, at, 0}, {time.Hour, at.Add(1), at.Add(time.Hour), 0},
		{time.Hour, at, at.Add(1), 1}, {time.Hour, at.Add(1), at.Add(time.Hour + 1), 1},
	} {
		s, err := cron.Every(c.every)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Count(c.from, c.to); got != c.want {
			t.Errorf("every %v: Count(%v, %v) = %d, want %d", c.every, c.from, c.to, got, c.want)
		}
	}
}
