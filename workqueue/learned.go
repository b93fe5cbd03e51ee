package workqueue

import (
	"math"
	"time"
)

// What a run teaches: the least weight of the newest run in the mean and in the
// error, and, since a percentile takes more runs than a mean, in the classes.
const (
	meanGain  = 0.1
	classGain = 0.02
)

// KeptRuns is how many runs of a batch are enough: they decide all of the mean
// and all but half a hundredth of the classes.
const KeptRuns = 256

// LongestLearned bounds the durations that are learned; none is below 0.
const LongestLearned = 10 * 365 * 24 * time.Hour

// RunTime is one run that ended well.
type RunTime struct {
	Took time.Duration // by the worker's own clock, which no change of the time disturbs

	// Estimate is what the assignment pass counted with; 0: not known.
	Estimate time.Duration
}

// LearnedDuration is how long the runs of one key have taken lately. The zero
// value of all but the key has learned nothing yet.
type LearnedDuration struct {
	DurationKey

	// Runs counts the runs that it was learned from.
	Runs int64

	// MeanMs is their mean in milliseconds, exponentially weighted, and ErrorMs
	// that of |took - estimate|, which the first run has no part in.
	MeanMs, ErrorMs float64

	// Classes tell the percentiles.
	Classes DurationWeights

	// UpdatedAt is when it was learned last, UTC, by the database's clock.
	UpdatedAt time.Time
}

// Add learns from runs, the earliest first: later ones weigh more, and that is
// all that their order does. Run n, counted from 1, changes the mean by
//
//	mean += (took - mean) * max(0.1, 1/n)
//
// so that the first ten runs count alike and each later one a tenth: what lies
// 22 runs back has a tenth of the weight of the newest. The error is
// |took - estimate|, where the mean before stands for an estimate that is not
// known, and changes in the same way, counted from the second run on. Both are
// exponential smoothing, as of round-trip times and their deviation in RFC 6298,
// section 2. For example runs of 10s, 20s and 30s without estimates have a mean
// of 10s, 15s and 20s, and an error of 0s, 10s and 12.5s.
func (l *LearnedDuration) Add(runs ...RunTime) {
	for _, r := range runs {
		took := learnable(r.Took)
		if l.Runs > 0 {
			expected := l.MeanMs
			if r.Estimate > 0 {
				expected = learnable(r.Estimate)
			}
			l.ErrorMs += (math.Abs(took-expected) - l.ErrorMs) * gain(l.Runs, meanGain)
		}
		l.Runs++
		l.MeanMs += (took - l.MeanMs) * gain(l.Runs, meanGain)
		l.Classes.add(DurationBucket(int64(math.Ceil(took))), gain(l.Runs, classGain))
	}
}

// Learn adds runs of its key, and counts those that were left out.
func (l *LearnedDuration) Learn(r LearnedRuns) {
	l.Add(r.Runs...)
	l.Runs += max(r.LeftOut, 0)
}

// Trim leaves out all but the latest runs.
func (r *LearnedRuns) Trim() {
	if over := len(r.Runs) - KeptRuns; over > 0 {
		r.Runs = append(r.Runs[:0], r.Runs[over:]...)
		r.LeftOut += int64(over)
	}
}

// gain is the weight of the n-th value in a mean: that of a plain one until it
// comes to least.
func gain(n int64, least float64) float64 { return max(least, 1/float64(n)) }

// learnable is a duration in milliseconds, within bounds.
func learnable(d time.Duration) float64 {
	return float64(min(max(d, 0), LongestLearned)) / float64(time.Millisecond)
}

// Mean is the mean as a duration.
func (l *LearnedDuration) Mean() time.Duration { return learnedTime(l.MeanMs) }

// P90 is what nine of ten runs did not exceed lately, off by no more than
// DurationError of itself.
func (l *LearnedDuration) P90() time.Duration { return l.Classes.Percentile(0.9) }

// Error is by how much a run differs from its estimate, in the mean; false while
// nothing could be compared.
func (l *LearnedDuration) Error() (time.Duration, bool) { return learnedTime(l.ErrorMs), l.Runs > 1 }

// learnedTime reads milliseconds; a hand may have written any number.
func learnedTime(ms float64) time.Duration {
	const most = float64(LongestLearned / time.Millisecond)
	if !(ms > 0) { // nor is it NaN
		return 0
	}
	return time.Duration(min(ms, most) * float64(time.Millisecond))
}
