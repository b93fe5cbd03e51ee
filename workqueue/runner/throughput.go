package runner

import "time"

// throughput measures how fast a worker's items end, and so how many will probably begin within
// a time.
type throughput struct {
	last time.Time     // when an item last ended; zero: none has
	gap  time.Duration // between two ends, exponentially weighted; 0: unknown
}

// ended records an item that ended now after a run of the length took.
func (p *throughput) ended(now time.Time, took time.Duration) {
	if !p.last.IsZero() {
		gap := max(now.Sub(p.last), time.Microsecond)
		if p.gap == 0 {
			p.gap = min(16*took, claimAhead) // two that end together prove nothing yet
		}
		p.gap += (gap - p.gap) / 8
	}
	p.last = now
}

// resumed records that items begin after a time without any, which says nothing about them.
func (p *throughput) resumed(now time.Time) {
	if !p.last.IsZero() {
		p.last = now
	}
}

// within returns how many running items will probably end within d. If none has ended for
// longer than the usual gap, that time counts as the gap, so that slower items show before the
// first of them ends.
func (p *throughput) within(d time.Duration, now time.Time) int {
	if p.gap == 0 {
		return 0
	}
	return int(d / max(p.gap, now.Sub(p.last)))
}
