package forecast

import "slices"

// usage is how many slot hours each worker uses in each hour of one history: by worker, then by hour.
type usage []float32

// mostUsages bounds the numbers of all histories, which take four bytes each: 200 histories of 100 workers and four
// days are just below.
const mostUsages = 2_000_000

// newUsages returns one for each history; nil if these would be more than mostUsages numbers.
func newUsages(histories, workers, hours int) []usage {
	if histories*workers*hours > mostUsages {
		return nil
	}
	all := make([]usage, histories)
	for h := range all {
		all[h] = make(usage, workers*hours)
	}
	return all
}

// quantiles returns what one number does not exceed in half, and in 95 of 100, of the histories.
func quantiles(all []usage, at int) (p50, p95 float64) {
	values := make([]float32, len(all))
	for h := range all {
		values[h] = all[h][at]
	}
	slices.Sort(values)
	rank := func(percent int) float64 { return float64(values[(len(values)*percent+99)/100-1]) }
	return rank(50), rank(95)
}
