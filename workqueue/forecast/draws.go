package forecast

import (
	"math"
	"time"

	"botwork/workqueue"
)

// law is what is known about an item before it runs.
type law struct {
	spread int32   // index of the spread
	mean   float64 // nanoseconds
	fails  float64 // the probability that an attempt fails

	// again is the probability that a failed attempt is followed by another one while the policy
	// allows it: permanent and business errors are not.
	again  float64
	policy int32 // index of the policy
	source int32 // of an arrival; -1: none
}

// draws are the draws of one history. They depend on the seed, the history, the item and its
// attempt, and on nothing else.
type draws struct {
	p       *prepared
	history uint64
	factors []float64 // of each spread
	sums    []float64 // of each source: the expected number of arrivals before the latest one
	counts  []uint64
}

func newDraws(p *prepared) *draws {
	return &draws{p: p, factors: make([]float64, len(p.spreads)), sums: make([]float64, len(p.sources)), counts: make([]uint64, len(p.sources))}
}

// What a number is drawn for.
const (
	forTime = iota
	forFailure
	forRetry
	forJitter
	forFactor
	forArrival
	kinds
)

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unit returns a number from 0 to 1, without 1.
func (d *draws) unit(id int64, attempt int, what uint64) float64 {
	x := mix(d.history + uint64(id)*0x9e3779b97f4a7c15) //nolint:gosec // any bits will do
	x = mix(x + uint64(attempt)*kinds + what)           //nolint:gosec // likewise
	return float64(x>>11) / (1 << 53)
}

// begin starts a history.
func (d *draws) begin(seed uint64, history int) {
	d.history = mix(seed*0x9e3779b97f4a7c15 + uint64(history)) //nolint:gosec // not negative
	for i := range d.factors {
		z := math.Sqrt2 * math.Erfinv(2*max(d.unit(d.p.spreadIDs[i], 0, forFactor), 1e-12)-1)
		d.factors[i] = math.Exp(d.p.spreads[i].doubt * z)
	}
	for i := range d.sums {
		d.sums[i], d.counts[i] = 0, 0
	}
}

// Run implements assign.Draws.
func (d *draws) Run(item, failures int) (time.Duration, bool) {
	l := &d.p.laws[item]
	id := d.p.ids[item]
	takes := time.Duration(l.mean * d.factors[l.spread] * d.p.spreads[l.spread].value(d.unit(id, failures, forTime)))
	fails := l.fails > 0 && d.unit(id, failures, forFailure) < l.fails
	return d.bound(l, takes, 0, fails)
}

// bound ends a run at the timeout of its policy.
func (d *draws) bound(l *law, takes, ran time.Duration, fails bool) (time.Duration, bool) {
	if most := time.Duration(d.p.policies[l.policy].Timeout); most > 0 && takes+ran > most {
		return max(most-ran, 0), true
	}
	return takes, fails
}

// Rest implements assign.Draws.
func (d *draws) Rest(item int, ran time.Duration) (time.Duration, bool) {
	l := &d.p.laws[item]
	s := d.p.spreads[l.spread]
	id, failures := d.p.ids[item], d.p.s.Items[item].Failures
	unit, scale := d.unit(id, failures, forTime), l.mean*d.factors[l.spread]
	fails := l.fails > 0 && d.unit(id, failures, forFailure) < l.fails
	// Of the runs that take longer than this one has run already.
	if from := s.part(float64(ran) / scale); from < 1 {
		left := time.Duration(scale*s.value(from+(1-from)*unit)) - ran
		return d.bound(l, max(left, 0), ran, fails)
	}
	// No run has taken so long: as long again, more or less.
	return d.bound(l, time.Duration(float64(ran)*(0.25+1.5*unit)), ran, fails)
}

// Retry implements assign.Draws.
func (d *draws) Retry(item, failures int) (time.Duration, bool) {
	l := &d.p.laws[item]
	policy := &d.p.policies[l.policy]
	id := d.p.ids[item]
	if !policy.Retries(workqueue.KindError, failures) || d.unit(id, failures, forRetry) >= l.again {
		return 0, false
	}
	return policy.Backoff(failures, d.unit(id, failures, forJitter)), true
}

// Due implements assign.Draws: the items of a source arrive one after the other, at a rate that
// changes with the hour (a Poisson process). It is called in the order of the items.
func (d *draws) Due(item int) (time.Duration, bool) {
	at := d.p.laws[item].source
	s := &d.p.sources[at]
	d.counts[at]++
	d.sums[at] -= math.Log(1 - d.unit(s.id, int(d.counts[at]), forArrival)) //nolint:gosec // bounded by the items
	return s.when(d.sums[at])
}
