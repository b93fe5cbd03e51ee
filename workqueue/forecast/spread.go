package forecast

import (
	"maps"
	"math"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// points is the resolution of a spread: its quantiles at 0, 1/points, 2/points, … 1.
const points = 256

// spread is how the durations of like runs are distributed, in relation to a duration of 1.
type spread struct {
	at [points + 1]float32

	// doubt is the standard deviation of the logarithm of the mean, which is known only from a few
	// runs. All runs of a history share this error.
	doubt float64
}

// The doubts of durations that no runs confirm.
const (
	declaredDoubt = 0.15 // an estimate of the item
	pipelineDoubt = 0.3  // an estimate of its pipeline
	defaultDoubt  = 0.7  // none at all
)

// The relative errors of estimates that no runs confirm: the mean of |took - estimate| / estimate.
const (
	declaredError = 0.2
	pipelineError = 0.3
	defaultError  = 0.6
)

// logNormal returns a spread with a mean of 1 whose values differ from it by this fraction in the
// mean. For a small standard deviation s of the logarithm, that is s·√(2/π).
func logNormal(relativeError, doubt float64) *spread {
	s := min(relativeError*math.Sqrt(math.Pi/2), 1.5)
	d := &spread{doubt: doubt}
	for i := range d.at {
		q := (float64(i) + 0.5) / (points + 1)
		d.at[i] = float32(math.Exp(s*math.Sqrt2*math.Erfinv(2*q-1) - s*s/2))
	}
	return d
}

// effective bounds the runs that a learned duration counts for: earlier ones have no weight any more.
const effective = 100

// spreadOf returns the spread of learned durations and their mean. Durations of one class are spread evenly over it.
func spreadOf(d *learned.Duration) (*spread, time.Duration) {
	buckets := slices.Sorted(maps.Keys(d.Classes)) // sums of floats depend on their order
	total := 0.0
	for _, b := range buckets {
		total += d.Classes[b]
	}
	if total <= 0 { // a person has removed the classes
		return logNormal(defaultError, defaultDoubt), d.Mean()
	}
	s := &spread{}
	var mean, square float64
	at, before := 0, 0.0
	for i := range s.at {
		q := (float64(i) + 0.5) / (points + 1) * total
		for at < len(buckets)-1 && before+d.Classes[buckets[at]] < q {
			before += d.Classes[buckets[at]]
			at++
		}
		within := min(max((q-before)/d.Classes[buckets[at]], 0), 1)
		middle := float64(max(workqueue.BucketDuration(buckets[at]), time.Microsecond))
		v := middle * (1 + workqueue.DurationError*(2*within-1))
		s.at[i] = float32(v)
		mean += v / (points + 1)
		square += v * v / (points + 1)
	}
	for i := range s.at {
		s.at[i] = float32(float64(s.at[i]) / mean)
	}
	deviation := math.Sqrt(max(square-mean*mean, 0)) / mean
	s.doubt = deviation / math.Sqrt(float64(max(min(d.Runs, effective), 1)))
	// Means of few runs also hide what has not happened yet.
	s.doubt += 0.5 / float64(max(d.Runs, 1))
	return s, time.Duration(mean)
}

// value returns the value below which the part u of the values lies.
func (s *spread) value(u float64) float64 {
	at := u * points
	i := int(at)
	low := s.at[i]
	return float64(low + float32(at-float64(i))*(s.at[i+1]-low))
}

// part returns which part of the values lies below one; 1 if all do.
func (s *spread) part(value float64) float64 {
	i, _ := slices.BinarySearch(s.at[:], float32(value))
	if i > points {
		return 1
	}
	if i == 0 {
		return 0
	}
	low, high := float64(s.at[i-1]), float64(s.at[i])
	if high <= low {
		return float64(i) / points
	}
	return (float64(i-1) + (value-low)/(high-low)) / points
}
