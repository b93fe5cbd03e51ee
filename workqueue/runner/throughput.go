package runner

import "time"

// throughput measures how fast a worker's items end, and so how many it is likely
// to begin within a time.
type throughput struct {
	last time.Time     // when an item ended last; zero: none has
	gap  time.Duration // between two ends, exponentially weighted; 0: not known
}

// ended counts an item that ended at a time and took so long.
func (p *throughput) ended(now time.Time, took time.Duration) {
	if !p.last.IsZero() {
		gap := max(now.Sub(p.last), time.Microsecond)
		if p.gap == 0 {
			p.gap = min(16*took, claimAhead) // two that end together say nothing yet
		}
		p.gap += (gap - p.gap) / 8
	}
	p.last = now
}

// resumed notes that items begin after a time in which none ran, which says nothing of
// them.
func (p *throughput) resumed(now time.Time) {
	if !p.last.IsZero() {
		p.last = now
	}
}

// within is how many items are likely to end within d, in which some run. Where none has
// ended for longer than the usual gap, that time counts as the gap: items that have turned
// slow show before the first of them ends.
func (p *throughput) within(d time.Duration, now time.Time) int {
	if p.gap == 0 {
		return 0
	}
	return int(d / max(p.gap, now.Sub(p.last)))
}
