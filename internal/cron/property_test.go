package cron_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/cron"
	"botwork/internal/testgroup"
)

// changes are days around which the clocks of a zone changed: in both hemispheres, by
// whole and half hours, at midnight, a skipped day, and no change at all.
var changes = []struct{ zone, day string }{
	{"America/New_York", "2026-03-08"}, {"America/New_York", "2026-11-01"},
	{"Europe/Lisbon", "2026-03-29"}, {"Europe/Lisbon", "2026-10-25"},
	{"Australia/Sydney", "2026-04-05"}, {"Australia/Sydney", "2026-10-04"},
	{"Australia/Lord_Howe", "2026-04-05"}, {"Australia/Lord_Howe", "2026-10-04"},
	{"America/Sao_Paulo", "2018-11-04"}, {"America/Sao_Paulo", "2018-02-18"},
	{"Africa/Cairo", "2024-04-26"}, {"Asia/Beirut", "2024-10-27"},
	{"Africa/Casablanca", "2025-02-23"}, {"America/Santiago", "2025-09-07"},
	{"Pacific/Apia", "2011-12-30"}, {"Asia/Kathmandu", "2026-01-01"},
}

// drawn is a random expression with its meaning as sets, so that the test needs no
// parser. An empty set is a star.
type drawn struct {
	minutes, hours, weekdays []int
	zone                     *time.Location
	dst                      cron.DST
	from, to                 time.Time // two days before and after a change
}

func draw(t *rapid.T) drawn {
	change := rapid.SampledFrom(changes).Draw(t, "change")
	zone, err := time.LoadLocation(change.zone)
	if err != nil {
		t.Fatal(err)
	}
	day, err := time.ParseInLocation(time.DateOnly, change.day, zone)
	if err != nil {
		t.Fatal(err)
	}
	return drawn{
		minutes:  rapid.SliceOfN(rapid.IntRange(0, 59), 0, 3).Draw(t, "minutes"),
		hours:    rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 2, 3, 9, 22, 23}), 0, 3).Draw(t, "hours"),
		weekdays: rapid.SliceOfN(rapid.IntRange(0, 6), 0, 3).Draw(t, "weekdays"),
		zone:     zone,
		dst:      rapid.SampledFrom([]cron.DST{"", cron.First, cron.Last, cron.Both, cron.Skip}).Draw(t, "dst"),
		from:     day.Add(-48 * time.Hour),
		to:       day.Add(48 * time.Hour),
	}
}

func (d drawn) schedule(t *rapid.T) *cron.Schedule {
	list := func(values []int) string {
		if len(values) == 0 {
			return "*"
		}
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]")
	}
	spec := list(d.minutes) + " " + list(d.hours) + " * * " + list(d.weekdays)
	s, err := cron.Parse(spec, d.zone, d.dst)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// matches reports whether the expression matches a wall clock that shows naive.
func (d drawn) matches(naive time.Time) bool {
	in := func(set []int, v int) bool { return len(set) == 0 || slices.Contains(set, v) }
	return in(d.minutes, naive.Minute()) && in(d.hours, naive.Hour()) && in(d.weekdays, int(naive.Weekday()))
}

// brute finds the planned instants by checking every minute, real and naive, without
// knowledge of clock changes: from excluded, to included.
func (d drawn) brute() []time.Time {
	naive := func(real time.Time) time.Time {
		local := real.In(d.zone)
		_, offset := local.Zone()
		return real.UTC().Add(time.Duration(offset) * time.Second)
	}
	passes := map[time.Time][]time.Time{} // naive minute → real minutes, in order
	planned := map[time.Time]bool{}
	// One more day on both sides, so that the ends of the range do not look like gaps.
	for real := d.from.UTC().Add(-48 * time.Hour); real.Before(d.to.Add(48 * time.Hour)); real = real.Add(time.Minute) {
		passes[naive(real)] = append(passes[naive(real)], real)
		if len(d.hours) == 0 && d.matches(naive(real)) {
			planned[real] = true
		}
	}
	if len(d.hours) > 0 {
		for n := naive(d.from).Add(-24 * time.Hour); n.Before(naive(d.to).Add(24 * time.Hour)); n = n.Add(time.Minute) {
			if !d.matches(n) {
				continue
			}
			for _, real := range d.fixed(passes, n) {
				planned[real] = true
			}
		}
	}
	result := []time.Time{}
	for real := range planned {
		if real.After(d.from) && !real.After(d.to) {
			result = append(result, real)
		}
	}
	slices.SortFunc(result, time.Time.Compare)
	return result
}

// fixed returns when a schedule with fixed hours fires for one naive minute.
func (d drawn) fixed(passes map[time.Time][]time.Time, n time.Time) []time.Time {
	switch real := passes[n]; {
	case len(real) == 0 && d.dst == cron.Skip:
		return nil
	case len(real) == 0:
		for len(passes[n]) == 0 {
			n = n.Add(time.Minute)
		}
		return passes[n][:1]
	case d.dst == cron.Both:
		return real
	case d.dst == cron.Last:
		return real[len(real)-1:]
	default:
		return real[:1]
	}
}

func TestScheduleEqualsBruteForce(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		d := draw(t)
		got := append([]time.Time{}, d.schedule(t).Between(d.from, d.to, 10000)...)
		if diff := cmp.Diff(d.brute(), got); diff != "" {
			t.Fatalf("Between(%v, %v) (-want +got):\n%s", d.from, d.to, diff)
		}
	})
}

func TestNextAndPrevAreInverse(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		d := draw(t)
		s := d.schedule(t)
		if rapid.Bool().Draw(t, "interval") {
			var err error
			if s, err = cron.Every(time.Duration(rapid.IntRange(1000, 1e8).Draw(t, "ms")) * time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		at := d.from.Add(time.Duration(rapid.Int64Range(0, int64(96*time.Hour)).Draw(t, "at")))

		next := s.Next(at)
		if !next.After(at) {
			t.Fatalf("Next(%v) = %v, want it later", at, next)
		}
		if got := s.Prev(next); !got.Equal(next) {
			t.Fatalf("Prev(%v) = %v, want the planned instant itself", next, got)
		}
		prev := s.Prev(next.Add(-1))
		if prev.After(at) {
			t.Fatalf("Prev(just before %v) = %v, a planned instant that Next(%v) passed over", next, prev, at)
		}
		if got := s.Next(prev); !got.Equal(next) {
			t.Fatalf("Next(%v) = %v, want %v", prev, got, next)
		}
	})
}

func TestNextIsStrictlyIncreasing(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		d := draw(t)
		s := d.schedule(t)
		at := d.from
		for range 200 {
			next := s.Next(at)
			if !next.After(at) {
				t.Fatalf("Next(%v) = %v, want it later", at, next)
			}
			at = next
		}
	})
}
