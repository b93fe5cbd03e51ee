package learned

import (
	"math"
	"time"

	"botwork/workqueue"
)

// The least weight of the newest run: in the mean and in the error, and in the
// classes, which need more runs because a percentile does.
const (
	meanGain  = 0.1
	classGain = 0.02
)

// KeptRuns is how many runs of a batch are enough: they decide the whole mean
// and more than 99 % of the classes.
const KeptRuns = 256

// Longest bounds the durations that are learned; none is below 0.
const Longest = 10 * 365 * 24 * time.Hour

// Run is one run that succeeded.
type Run struct {
	Took time.Duration // by the worker's monotonic clock

	// Estimate is the duration that the assignment pass expected; 0 if unknown.
	Estimate time.Duration
}

// Duration is how long the latest runs of one key took. A Duration with
// nothing but a Key has learned nothing yet.
type Duration struct {
	Key

	// Runs counts all runs so far.
	Runs int64

	// MeanMs is the exponentially weighted mean of the runs in milliseconds, ErrorMs
	// that of |took - estimate|, which does not include the first run.
	MeanMs, ErrorMs float64

	// Classes yield the percentiles.
	Classes Weights

	// UpdatedAt is when runs were last added, UTC, by the database's clock.
	UpdatedAt time.Time
}

// Add adds runs, the earliest first: later ones weigh more. Run n, counted from 1,
// changes the mean by
//
//	mean += (took - mean) * max(0.1, 1/n)
//
// so the first ten runs count alike and each later one counts a tenth: a run
// that is 22 runs old has a tenth of the weight of the newest one. The error is
// |took - estimate|, with the previous mean in place of an unknown estimate, and
// changes in the same way, counted from the second run on. Both are exponential
// smoothing, as for round-trip times and their deviation in RFC 6298, section 2.
// For example runs of 10s, 20s and 30s without estimates have means of 10s, 15s
// and 20s, and errors of 0s, 10s and 12.5s.
func (d *Duration) Add(runs ...Run) {
	for _, r := range runs {
		took := boundedMs(r.Took)
		if d.Runs > 0 {
			expected := d.MeanMs
			if r.Estimate > 0 {
				expected = boundedMs(r.Estimate)
			}
			d.ErrorMs += (math.Abs(took-expected) - d.ErrorMs) * gain(d.Runs, meanGain)
		}
		d.Runs++
		d.MeanMs += (took - d.MeanMs) * gain(d.Runs, meanGain)
		d.Classes.add(workqueue.DurationBucket(int64(math.Ceil(took))), gain(d.Runs, classGain))
	}
}

// Learn adds runs of its key, and counts those that were left out.
func (d *Duration) Learn(r Runs) {
	d.Add(r.Runs...)
	d.Runs += max(r.LeftOut, 0)
}

// gain returns the weight of the n-th value in a mean: that of a plain mean, but
// never below least.
func gain(n int64, least float64) float64 { return max(least, 1/float64(n)) }

// boundedMs returns a duration between 0 and Longest in milliseconds.
func boundedMs(d time.Duration) float64 {
	return float64(min(max(d, 0), Longest)) / float64(time.Millisecond)
}

// Mean returns the mean.
func (d *Duration) Mean() time.Duration { return fromMs(d.MeanMs) }

// P90 returns the duration that nine of ten recent runs did not exceed, within
// workqueue.DurationError of itself.
func (d *Duration) P90() time.Duration { return d.Classes.Percentile(0.9) }

// Error returns the mean difference between a run and its estimate; false if
// there is nothing to compare yet.
func (d *Duration) Error() (time.Duration, bool) { return fromMs(d.ErrorMs), d.Runs > 1 }

// fromMs converts milliseconds, which a person may have written by hand: any number.
func fromMs(ms float64) time.Duration {
	const most = float64(Longest / time.Millisecond)
	if !(ms > 0) { // nor is it NaN
		return 0
	}
	return time.Duration(min(ms, most) * float64(time.Millisecond))
}
