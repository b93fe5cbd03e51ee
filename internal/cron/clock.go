package cron

import "time"

// WallClock returns the instant at which the wall clock of zone (nil is UTC)
// first shows what naive shows, in UTC. naive is read by its year, month, day and
// time of day, whatever its own zone. A reading that the clocks leave out gives
// the first instant behind the gap, one that comes twice its first pass: what a
// schedule with fixed hours does under [First].
//
// New York, 2026: 8 March 02:30 does not exist and gives 03:00 EDT; 1 November
// 01:30 comes twice and gives 01:30 EDT.
func WallClock(naive time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}
	year, month, day := naive.Date()
	hour, minute, second := naive.Clock()
	naive = time.Date(year, month, day, hour, minute, second, naive.Nanosecond(), time.UTC)
	// No offset and no jump of any zone is longer than a day and some hours, so
	// two days before the reading its first pass has not come.
	for from := naive.Add(-48 * time.Hour); ; {
		p := periodAt(from, zone)
		if p.end.IsZero() || naive.Before(p.naive(p.end)) {
			if at := naive.Add(-p.offset); !at.Before(from) {
				return at
			}
			return from.UTC() // the period began behind the reading: it lay in the gap
		}
		from = p.end
	}
}
