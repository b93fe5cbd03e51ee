package runner

import (
	"math"
	"time"
)

const (
	// writeBudget is how long one write of results should take at most. A write contains
	// everything that ended during the previous one, so a result waits at most for the
	// previous write and its own: it is in the database within twice the budget, 10 ms. If
	// runs end faster than results can be written, the slots wait, and the results of their
	// current runs are in the write after the next: within three times the budget.
	writeBudget = 5 * time.Millisecond

	// firstBatch bounds the first writes, while the speed of the database is unknown.
	firstBatch = 32

	// Every tryEvery-th write has one result only, to measure how long that takes: otherwise
	// a busy worker would never write one alone. Up to aFew results take about as long.
	tryEvery, aFew = 16, 2
)

// writePace measures how long writes take and decides how many results may be written together.
// Runs with unwritten results are repeated after a crash. If a write of one result takes more
// than half of the budget, as on a slow disk, the budget is twice that time, because smaller
// batches would not be written sooner.
type writePace struct {
	alone  time.Duration // how long a write of one result takes; 0: unknown
	limit  float64       // results; 0: unknown
	writes int           // so far
}

// record records a write of n results.
func (p *writePace) record(n int, took time.Duration) {
	took = max(took, time.Microsecond)
	switch {
	case n > aFew && took >= p.alone:
	case p.alone == 0:
		p.alone = took
	default: // also if several results took less: one result takes no longer
		p.alone += (took - p.alone) / 4
	}
	if p.limit == 0 {
		p.limit = firstBatch
	}
	budget := max(writeBudget, 2*p.alone)
	// A small write does not show how many more results it could contain, and a slow write
	// of a few results does not show how many fewer it should contain.
	if want := float64(n) * float64(budget) / float64(took); took > budget && n > aFew || 2*n >= int(p.limit) {
		p.limit += (want - p.limit) / 2
	}
	p.limit = min(max(p.limit, 1), finishBatch)
}

// next returns how many results the next write may contain.
func (p *writePace) next() int {
	if p.writes++; p.writes%tryEvery == 0 {
		return 1
	}
	return p.most()
}

// most returns how many results one write may contain.
func (p *writePace) most() int {
	if p.limit == 0 {
		return firstBatch
	}
	return int(math.Round(p.limit)) // truncation could keep it at 1 if the target is 2
}
