package workqueue

import (
	"math"
	"time"
)

const (
	// writeBudget is how long one write of results should take at the most. A result
	// waits for the write before its own at the longest, and then for its own: twice
	// the budget is the promise that a finish is in the database within 10 ms.
	writeBudget = 5 * time.Millisecond

	// firstBatch bounds the first writes, of which nobody knows yet how long they take.
	firstBatch = 32
)

// writePace measures what writes take, and tells from that how many results may
// come together: what waits unwritten, a crash repeats. Where a write takes more than
// half of the budget whatever is in it, as on a slow disk, twice that time is the
// budget: smaller batches would not be written any sooner.
type writePace struct {
	alone time.Duration // what a write of one result takes; 0: not known
	limit float64       // results; 0: not known
}

// note takes in a write of n results.
func (p *writePace) note(n int, took time.Duration) {
	took = max(took, time.Microsecond)
	switch {
	case n > 1:
	case p.alone == 0:
		p.alone = took
	default:
		p.alone += (took - p.alone) / 8
	}
	if p.limit == 0 {
		p.limit = firstBatch
		if p.alone >= writeBudget {
			p.limit = finishBatch
		}
	}
	budget := max(writeBudget, 2*p.alone)
	// A write that had room for more tells nothing of how much more it could carry.
	if want := float64(n) * float64(budget) / float64(took); took > budget || 2*n >= int(p.limit) {
		p.limit += (want - p.limit) / 2
	}
	p.limit = min(max(p.limit, 1), finishBatch)
}

// most is how many results one write may carry.
func (p *writePace) most() int {
	if p.limit == 0 {
		return firstBatch
	}
	return int(math.Round(p.limit)) // cut off, one would stay one where two is the aim
}
