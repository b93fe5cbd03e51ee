package learned

import (
	"math"
	"slices"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"

	"pgregory.net/rapid"
)

// The worked rows of the doc comment, and what is special.
func TestLearnedDurationByHand(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		name        string
		runs        []Run
		mean, error time.Duration
	}{
		{"nothing", nil, 0, 0},
		{"one run", []Run{{Took: 10 * s}}, 10 * s, 0},
		{"two runs", []Run{{Took: 10 * s}, {Took: 20 * s}}, 15 * s, 10 * s},
		{"three runs", []Run{{Took: 10 * s}, {Took: 20 * s}, {Took: 30 * s}}, 20 * s, 12500 * time.Millisecond},
		{"an estimate goes before the mean", []Run{{Took: 10 * s, Estimate: 99 * s}, {Took: 20 * s, Estimate: 17 * s}}, 15 * s, 3 * s},
		{"below nothing is nothing", []Run{{Took: -s}, {Took: -s}}, 0, 0},
		{"no run takes more than ten years", []Run{{Took: math.MaxInt64}}, Longest, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l Duration
			l.Add(test.runs...)
			off, told := l.Error()
			if l.Mean() != test.mean || off != test.error || told != (len(test.runs) > 1) || l.Runs != int64(len(test.runs)) {
				t.Errorf("%d runs: mean %s, error %s (%t), want %s and %s", l.Runs, l.Mean(), off, told, test.mean, test.error)
			}
		})
	}
}

// From the eleventh run on the newest weighs a tenth.
func TestLearnedDurationWeightsNewestRunByTenth(t *testing.T) {
	var l Duration
	l.Add(slices.Repeat([]Run{{Took: 10 * time.Second}}, 50)...)
	l.Add(Run{Took: 20 * time.Second, Estimate: 5 * time.Second})
	if got := l.Mean().Round(time.Microsecond); got != 11*time.Second {
		t.Errorf("mean %s, want 11s", got)
	}
	if got, _ := l.Error(); got.Round(time.Microsecond) != 1500*time.Millisecond { // a tenth of 15 s
		t.Errorf("error %s, want 1.5s", got)
	}
}

func drawRuns(t *rapid.T, name string) []Run {
	took := rapid.SampledFrom([]*rapid.Generator[int64]{
		rapid.Int64Range(0, int64(time.Hour)), rapid.Int64Range(0, int64(20*time.Millisecond)), rapid.Int64(),
	}).Draw(t, "scale")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Run {
		return Run{Took: time.Duration(took.Draw(t, "took")), Estimate: time.Duration(rapid.Int64Range(-5, int64(time.Hour)).Draw(t, "estimate"))}
	}), 1, 400).Draw(t, name)
}

// TestLearnedDurationIsWithinItsRuns checks for any runs that the mean is within their
// range, that the percentile is one of them (to the precision of the classes), that the
// error is at most the worst miss, and that there are few weights whose sum is 1.
func TestLearnedDurationIsWithinItsRuns(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		runs := drawRuns(t, "runs")
		var l Duration
		least, most, worst := math.Inf(1), 0.0, 0.0
		for _, r := range runs {
			took := boundedMs(r.Took)
			least, most = min(least, took), max(most, took)
			worst = max(worst, took, boundedMs(r.Estimate))
			l.Add(r)
			const rounding = 1e-9
			if l.MeanMs < least*(1-rounding) || l.MeanMs > most*(1+rounding) {
				t.Fatalf("mean %v ms of runs between %v and %v ms", l.MeanMs, least, most)
			}
			if l.ErrorMs < 0 || l.ErrorMs > worst*(1+rounding) {
				t.Fatalf("error %v ms, want 0 to %v ms", l.ErrorMs, worst)
			}
			p90 := float64(l.P90()) / float64(time.Millisecond)
			if p90 > (math.Ceil(most))*(1+workqueue.DurationError)+1 || p90 < math.Floor(least)*(1-workqueue.DurationError)-1 {
				t.Fatalf("p90 %v ms of runs between %v and %v ms", p90, least, most)
			}
			total := 0.0
			for _, w := range l.Classes {
				total += w
			}
			if total > 1+1e-9 || total < 0.7 || len(l.Classes) > 200 {
				t.Fatalf("%d weights come to %v", len(l.Classes), total)
			}
		}
		if l.Runs != int64(len(runs)) {
			t.Fatalf("%d runs are counted, want %d", l.Runs, len(runs))
		}
	})
}

// While all runs weigh alike, the percentile is the nearest rank, within
// workqueue.DurationError.
func TestLearnedP90IsNearestRankOfFirstRuns(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		took := rapid.SliceOfN(rapid.Int64Range(1, int64(24*time.Hour/time.Millisecond)), 1, int(1/classGain)).Draw(t, "took in ms")
		var l Duration
		for _, ms := range took {
			l.Add(Run{Took: time.Duration(ms) * time.Millisecond})
		}
		slices.Sort(took)
		want := float64(took[(len(took)*9+9)/10-1])
		if got := float64(l.P90()) / float64(time.Millisecond); math.Abs(got-want) > want*workqueue.DurationError*(1+1e-9) {
			t.Fatalf("p90 %v ms of %v, want %v within a part of %.4f", got, took, want, workqueue.DurationError)
		}
	})
}

// After a change of pace, whatever was before: 44 runs later a hundredth of it is
// left in the mean and in the error, and 115 runs later nine tenths of the classes
// are of the new pace.
func TestLearnedDurationFollowsChange(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		var l Duration
		l.Add(drawRuns(t, "before")...)
		const settled = 10 // from where on each run weighs a tenth
		l.Runs = max(l.Runs, settled)
		now := boundedMs(time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Hour)).Draw(t, "now")))
		before := l.MeanMs
		run := Run{Took: time.Duration(now * float64(time.Millisecond))}
		for range 44 {
			l.Add(run)
		}
		if off, was := math.Abs(l.MeanMs-now), math.Abs(before-now); off > was/100+1e-3 {
			t.Fatalf("the mean is %v ms off, and was %v ms", off, was)
		}
		for range 115 - 44 {
			l.Add(run)
		}
		if got := float64(l.P90()) / float64(time.Millisecond); math.Abs(got-now) > now*workqueue.DurationError*(1+1e-9)+1 {
			t.Fatalf("p90 %v ms, want %v", got, now)
		}
	})
}

// The order within a batch matters only in that later runs weigh more: batches may
// be cut anywhere, and equal runs may change places.
func TestLearnedDurationDoesNotDependOnBatches(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		runs := drawRuns(t, "runs")
		cut := rapid.IntRange(0, len(runs)).Draw(t, "cut")
		var whole, parts Duration
		whole.Add(runs...)
		parts.Add(runs[:cut]...)
		parts.Add(runs[cut:]...)
		if whole.MeanMs != parts.MeanMs || whole.ErrorMs != parts.ErrorMs || whole.P90() != parts.P90() || whole.Runs != parts.Runs {
			t.Fatalf("in one batch %+v, in two %+v", whole, parts)
		}
	})
}

// Of very many runs the latest are enough.
func TestLearnedDurationWithLeftOutRuns(t *testing.T) {
	const many = 2000
	runs := make([]Run, many)
	for i := range runs {
		runs[i].Took = time.Duration(1+i%100) * time.Second
	}
	var all, some Duration
	all.Add(runs...)
	some.Learn(Runs{Runs: runs[many-KeptRuns:], LeftOut: many - KeptRuns})
	near := func(a, b time.Duration) bool { return math.Abs(float64(a-b)) <= 0.01*float64(b) }
	if !near(some.Mean(), all.Mean()) || !near(some.P90(), all.P90()) || some.Runs != all.Runs {
		t.Errorf("of the latest alone: mean %s, p90 %s of %d runs; of all: %s, %s of %d", some.Mean(), some.P90(), some.Runs, all.Mean(), all.P90(), all.Runs)
	}
}

// A hand may have written anything.
func TestIncompleteDurationWeights(t *testing.T) {
	for text, want := range map[workqueue.JSONText]time.Duration{
		"":                          0,
		"null":                      0,
		"nonsense":                  0,
		`{"98": "much"}`:            0,
		`{"98": 1}`:                 workqueue.BucketDuration(98),
		`{"-5": 0.5, "98": 0.5}`:    workqueue.BucketDuration(98),
		`{"98": -3, "10": 0.2}`:     workqueue.BucketDuration(10),
		`{"98": 1e300, "10": 0.2}`:  workqueue.BucketDuration(10),
		`{"999999": 0.9, "1": 0.1}`: workqueue.BucketDuration(999999),
	} {
		if got := ParseWeights(text).Percentile(0.9); got != want {
			t.Errorf("%s: p90 %s, want %s", text, got, want)
		}
	}
	for ms, want := range map[float64]time.Duration{math.NaN(): 0, -1: 0, math.Inf(1): Longest, 0.25: 250 * time.Microsecond} {
		l := Duration{MeanMs: ms}
		if got := l.Mean(); got != want {
			t.Errorf("a mean of %v ms reads %s, want %s", ms, got, want)
		}
	}
}

func TestDurationWeightsRoundTrip(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		var l Duration
		l.Add(drawRuns(t, "runs")...)
		text := l.Classes.JSON()
		back := ParseWeights(text)
		if again := back.JSON(); again != text {
			t.Fatalf("%s came back as %s", text, again)
		}
		if len(text) > 4000 {
			t.Fatalf("the text has %d characters", len(text))
		}
	})
}
