package workqueue_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// A percentile differs from the exact one at most by the promised error,
// for any durations.
func TestPercentileIsAccurate(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		const most = 30 * 24 * 3600 * 1000 // ms
		durations := rapid.SliceOfN(rapid.OneOf(
			rapid.Int64Range(0, 20), rapid.Int64Range(0, 5000), rapid.Int64Range(0, most),
		), 1, 200).Draw(t, "durations")
		percent := rapid.Int64Range(1, 100).Draw(t, "percent")
		var counts workqueue.DurationCounts
		for _, ms := range durations {
			counts.Add(workqueue.DurationBucket(ms), 1)
		}
		slices.Sort(durations)
		rank := int(math.Ceil(float64(percent) / 100 * float64(len(durations)))) // the nearest rank
		exact := float64(durations[rank-1]) * float64(time.Millisecond)
		got := float64(counts.Percentile(percent))
		const rounding = 1 // nanosecond
		if math.Abs(got-exact) > exact*workqueue.DurationError+rounding {
			t.Fatalf("percentile %d of %v ms = %v, want %v within %.2f %%", percent, durations,
				time.Duration(got), time.Duration(exact), 100*workqueue.DurationError)
		}
	})
}

func TestDurationBucket(t *testing.T) {
	for _, c := range []struct {
		ms   int64
		want int
	}{
		{math.MinInt64, 0}, {-1, 0}, {0, 0}, {1, 1}, {2, 9}, {10_000, 98}, {math.MaxInt32 * 1000, 299}, {math.MaxInt64, 299},
	} {
		if got := workqueue.DurationBucket(c.ms); got != c.want {
			t.Errorf("DurationBucket(%d) = %d, want %d", c.ms, got, c.want)
		}
	}
	last := 0
	for ms := int64(1); ms < 1<<40; ms += ms/50 + 1 {
		got := workqueue.DurationBucket(ms)
		if got < last {
			t.Fatalf("DurationBucket(%d) = %d, less than that of a shorter one, %d", ms, got, last)
		}
		last = got
	}
}

func TestPercentileWithoutRuns(t *testing.T) {
	if got := (workqueue.DurationCounts)(nil).Percentile(95); got != 0 {
		t.Errorf("the percentile of no runs is %v, want 0", got)
	}
}
