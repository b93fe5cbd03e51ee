package workqueue

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"
)

// leastWeight is the weight below which a class is forgotten: that of a single
// run which lies 184 runs back. It bounds how many classes there are.
const leastWeight = 0.0005

// DurationWeights weigh the classes of durations (see DurationBucket); together
// they come to 1 or a little less. The zero value is ready to use.
type DurationWeights map[int]float64

// add makes all that is known lighter, and a class heavier, by a part of the whole.
func (w *DurationWeights) add(bucket int, part float64) {
	if *w == nil {
		*w = DurationWeights{}
	}
	for b := range *w {
		(*w)[b] *= 1 - part
	}
	(*w)[bucket] += part
	maps.DeleteFunc(*w, func(_ int, weight float64) bool { return weight < leastWeight })
}

// Percentile returns the duration that such a part of the weight does not exceed,
// off by no more than DurationError of itself; 0 when nothing is known.
func (w DurationWeights) Percentile(part float64) time.Duration {
	buckets := slices.Sorted(maps.Keys(w))
	total := 0.0
	for _, b := range buckets {
		total += w[b]
	}
	const tiny = 1e-9 // by which sums of weights are off
	need := part*total - tiny
	for _, b := range buckets {
		if need -= w[b]; need <= 0 {
			return bucketDuration(b)
		}
	}
	return 0
}

// JSON is the text that the weights are kept as.
func (w DurationWeights) JSON() JSONText {
	rounded := make(map[int]float64, len(w))
	for b, weight := range w {
		rounded[b] = math.Round(weight*1e6) / 1e6
	}
	text, err := json.Marshal(rounded)
	if err != nil {
		return "{}" // numbers always have JSON, but for those that no weight is
	}
	return JSONText(text)
}

// ParseDurationWeights reads what JSON has written. What a hand has made of it
// counts where it can: a text that is none knows nothing, and weights that none
// can have are left out.
func ParseDurationWeights(text JSONText) DurationWeights {
	var w DurationWeights
	if json.Unmarshal([]byte(text), &w) != nil {
		return nil
	}
	maps.DeleteFunc(w, func(_ int, weight float64) bool { return !(weight >= leastWeight && weight <= 1) })
	return w
}
