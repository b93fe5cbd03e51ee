package bench

import "slices"

// Figure is the name of a measured value, as in the JSON of a report.
type Figure string

// Figures that several scenarios use; figures of a single scenario are declared in its
// file.
const (
	ItemsPerSecond    Figure = "itemsPerSecond"
	EnqueuedPerSecond Figure = "enqueuedPerSecond"
	OneByOnePerSecond Figure = "oneByOnePerSecond"
	P50Ms             Figure = "p50Ms"
	P95Ms             Figure = "p95Ms"
	P99Ms             Figure = "p99Ms"
	CPUSecondsPer1000 Figure = "cpuSecondsPer1000"
	PeakRSSMb         Figure = "peakRssMb"
)

// Sample has the measured values of one round.
type Sample map[Figure]float64

// Spread summarizes a figure over the rounds.
type Spread struct {
	Median   float64 `json:"median"`
	Smallest float64 `json:"smallest"`
	Largest  float64 `json:"largest"`
}

// spreads summarizes each figure over the rounds.
func spreads(rounds []Sample) map[Figure]Spread {
	values := map[Figure][]float64{}
	for _, r := range rounds {
		for figure, v := range r {
			values[figure] = append(values[figure], v)
		}
	}
	all := make(map[Figure]Spread, len(values))
	for figure, list := range values {
		slices.Sort(list)
		all[figure] = Spread{Median: median(list), Smallest: list[0], Largest: list[len(list)-1]}
	}
	return all
}

// median returns the middle of sorted values, or the mean of the two middle values.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantile returns the smallest of the sorted values that is not exceeded by a share q of
// them; 0 if there are none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// percentiles sorts times and records the 50th, 95th and 99th percentile in milliseconds.
func (s Sample) percentiles(times []float64) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	s[P50Ms], s[P95Ms], s[P99Ms] = quantile(times, 0.50), quantile(times, 0.95), quantile(times, 0.99)
}
