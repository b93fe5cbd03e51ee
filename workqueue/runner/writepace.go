package runner

import (
	"math"
	"time"
)

const (
	// writeBudget is how long one write of results should take at most. Since a write carries
	// everything that ended during the previous one, a result waits at most for the previous
	// write and its own: it is in the database within twice the budget, 10 ms. If runs end
	// faster than that, the slots wait, and the runs that are in them end with the write after
	// the next: three times the budget.
	writeBudget = 5 * time.Millisecond

	// firstBatch bounds the first writes, whose speed is unknown.
	firstBatch = 32

	// tryEvery is how often one result is written alone to measure that: a busy worker
	// otherwise writes none alone. A few take about as long.
	tryEvery, aFew = 16, 2
)

// writePace measures how long writes take and decides how many results may be written together:
// a crash repeats what is unwritten. If a write of one result takes more than half of the
// budget, as on a slow disk, the budget is twice that time, since smaller batches would not be
// written any sooner.
type writePace struct {
	alone  time.Duration // how long a write of one result takes; 0: unknown
	limit  float64       // results; 0: unknown
	writes int           // so far
}

// note records a write of n results.
func (p *writePace) note(n int, took time.Duration) {
	took = max(took, time.Microsecond)
	switch {
	case n > aFew && took >= p.alone:
	case p.alone == 0:
		p.alone = took
	default: // also if several of them took less: so would one
		p.alone += (took - p.alone) / 4
	}
	if p.limit == 0 {
		p.limit = firstBatch
	}
	budget := max(writeBudget, 2*p.alone)
	// A write with room for more does not show how much more it could carry, and a slow
	// write of a few results does not show how much less.
	if want := float64(n) * float64(budget) / float64(took); took > budget && n > aFew || 2*n >= int(p.limit) {
		p.limit += (want - p.limit) / 2
	}
	p.limit = min(max(p.limit, 1), finishBatch)
}

// next returns how many results the next write may carry.
func (p *writePace) next() int {
	if p.writes++; p.writes%tryEvery == 0 {
		return 1
	}
	return p.most()
}

// most returns how many results one write may carry.
func (p *writePace) most() int {
	if p.limit == 0 {
		return firstBatch
	}
	return int(math.Round(p.limit)) // truncation would keep 1 where the aim is 2
}
