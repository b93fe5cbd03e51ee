package workqueue

import (
	"maps"
	"math"
	"slices"
	"sort"
	"time"
)

// Durations are counted in classes whose width grows by a factor, so that a few
// numbers give any percentile of any number of runs: class 0 is 0 ms, class 1 up to 1
// ms, and the upper end of each further class is durationGrowth times that of the
// previous one. A class is represented by the value between its ends that differs
// from both by the same fraction, DurationError (as in DDSketch, Masson, Rim and Lee,
// 2019). For example 10 s = 10,000 ms falls into class 98, above 9,412 up to 10,353
// ms, and is reported as 9,860 ms.
const durationGrowth = 1.1

// DurationError is the largest relative error of a percentile.
const DurationError = (durationGrowth - 1) / (durationGrowth + 1)

// durationEnds are the upper ends of the classes from 1 on, in milliseconds. The last
// class contains everything longer than 68 years.
var durationEnds = func() []float64 {
	const most = math.MaxInt32 * 1000
	var ends []float64
	for end := 1.0; end < most; end *= durationGrowth {
		ends = append(ends, end)
	}
	return append(ends, most)
}()

// DurationBucket returns the class of a duration in milliseconds.
func DurationBucket(ms int64) int {
	if ms <= 0 {
		return 0
	}
	at := sort.SearchFloat64s(durationEnds, float64(ms)) // the first end that is not below
	return min(at, len(durationEnds)-1) + 1
}

// BucketDuration returns the duration that represents a class.
func BucketDuration(bucket int) time.Duration {
	switch {
	case bucket <= 0:
		return 0
	case bucket == 1:
		return time.Millisecond
	}
	end := durationEnds[min(bucket, len(durationEnds))-1]
	return time.Duration(end * 2 / (durationGrowth + 1) * float64(time.Millisecond))
}

// BucketEnd returns the longest duration of a class, in whole milliseconds.
func BucketEnd(bucket int) time.Duration {
	if bucket <= 0 {
		return 0
	}
	return time.Duration(durationEnds[min(bucket, len(durationEnds))-1]) * time.Millisecond
}

// DurationCounts counts runs by the class of their duration. The zero value is
// ready to use.
type DurationCounts map[int]int64

// Add adds n runs to a class.
func (c *DurationCounts) Add(bucket int, n int64) {
	if *c == nil {
		*c = DurationCounts{}
	}
	(*c)[bucket] += n
}

// UpTo returns how many runs are of this class or of shorter ones.
func (c DurationCounts) UpTo(bucket int) int64 {
	var total int64
	for b, n := range c {
		if b <= bucket {
			total += n
		}
	}
	return total
}

// Percentile returns the duration that this percentage of the runs did not exceed
// (the nearest rank), with a relative error of at most DurationError; 0 if there are
// no runs.
func (c DurationCounts) Percentile(percent int64) time.Duration {
	var total int64
	for _, n := range c {
		total += n
	}
	rank := (total*percent + 99) / 100
	for _, bucket := range slices.Sorted(maps.Keys(c)) {
		if rank -= c[bucket]; rank <= 0 {
			return BucketDuration(bucket)
		}
	}
	return 0
}
