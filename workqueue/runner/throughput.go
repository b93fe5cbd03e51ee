package runner

import "time"

// throughput measures how fast a worker's items end. From that follows how many will probably
// start within a time.
type throughput struct {
	last time.Time     // when an item last ended; zero: none has
	gap  time.Duration // time between two ends, exponentially weighted; 0: unknown
}

// ended records that an item has ended after a run of the duration took.
func (p *throughput) ended(now time.Time, took time.Duration) {
	if !p.last.IsZero() {
		gap := max(now.Sub(p.last), time.Microsecond)
		if p.gap == 0 {
			p.gap = min(16*took, claimAhead) // two items that end together prove nothing
		}
		p.gap += (gap - p.gap) / 8
	}
	p.last = now
}

// resumed records that items start after a time in which none ran. That time does not count.
func (p *throughput) resumed(now time.Time) {
	if !p.last.IsZero() {
		p.last = now
	}
}

// expectedEnds returns how many running items will probably end within d. If none has ended
// for longer than the usual gap, that time counts as the gap, so that slower items are noticed
// before the first of them ends.
func (p *throughput) expectedEnds(d time.Duration, now time.Time) int {
	if p.gap == 0 {
		return 0
	}
	return int(d / max(p.gap, now.Sub(p.last)))
}
