package runner

import (
	"math"
	"time"
)

const (
	// writeBudget is how long one write of results should take at the most. While a
	// write carries all that ends during another, a result waits for the write before
	// its own at the longest, and then for its own: the finish is in the database
	// within twice the budget, 10 ms. Where runs end faster, the slots wait, and the runs
	// that were in them by then end with the write after that: three times the budget.
	writeBudget = 5 * time.Millisecond

	// firstBatch bounds the first writes, of which nobody knows yet how long they take.
	firstBatch = 32

	// tryEvery is how often one result is written alone, to learn what that takes: a
	// worker with much to do writes none alone otherwise. A few take about as long.
	tryEvery, aFew = 16, 2
)

// writePace measures what writes take, and tells from that how many results may
// come together: what waits unwritten, a crash repeats. Where a write takes more than
// half of the budget whatever is in it, as on a slow disk, twice that time is the
// budget: smaller batches would not be written any sooner.
type writePace struct {
	alone  time.Duration // what a write of one result takes; 0: not known
	limit  float64       // results; 0: not known
	writes int           // so far
}

// note takes in a write of n results.
func (p *writePace) note(n int, took time.Duration) {
	took = max(took, time.Microsecond)
	switch {
	case n > aFew && took >= p.alone:
	case p.alone == 0:
		p.alone = took
	default: // also where more of them took less: so would one
		p.alone += (took - p.alone) / 4
	}
	if p.limit == 0 {
		p.limit = firstBatch
	}
	budget := max(writeBudget, 2*p.alone)
	// A write that had room for more tells nothing of how much more it could carry,
	// and a slow one of a few nothing of how much less.
	if want := float64(n) * float64(budget) / float64(took); took > budget && n > aFew || 2*n >= int(p.limit) {
		p.limit += (want - p.limit) / 2
	}
	p.limit = min(max(p.limit, 1), finishBatch)
}

// next is how many results the next write may carry.
func (p *writePace) next() int {
	if p.writes++; p.writes%tryEvery == 0 {
		return 1
	}
	return p.most()
}

// most is how many results one write may carry.
func (p *writePace) most() int {
	if p.limit == 0 {
		return firstBatch
	}
	return int(math.Round(p.limit)) // cut off, one would stay one where two is the aim
}
