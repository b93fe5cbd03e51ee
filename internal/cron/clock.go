package cron

import "time"

// WallClock returns the first instant at which the wall clock of zone (nil is UTC) shows
// the date and time of naive, in UTC. The zone of naive is ignored. For a time that the
// clocks skip it returns the first instant after the gap; for a time that occurs twice,
// the first occurrence. Schedules with fixed hours do the same under [First].
// schedule with fixed hours does under [First].
// New York, 2026: 8 March 02:30 does not exist and gives 03:00 EDT; 1 November 01:30
// occurs twice and gives 01:30 EDT.
// 01:30 comes twice and gives 01:30 EDT.
func WallClock(naive time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}
	year, month, day := naive.Date()
	hour, minute, second := naive.Clock()
	naive = time.Date(year, month, day, hour, minute, second, naive.Nanosecond(), time.UTC)
	// No offset and no clock change of any zone is longer than a day and some hours, so
	// the first occurrence is less than two days before the reading.
	for from := naive.Add(-48 * time.Hour); ; {
		p := periodAt(from, zone)
		if p.end.IsZero() || naive.Before(p.naive(p.end)) {
			if at := naive.Add(-p.offset); !at.Before(from) {
				return at
			}
			return from.UTC() // the period starts after the reading: the reading is in the gap
		}
		from = p.end
	}
}
