package learned

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"botwork/workqueue"
)

// leastWeight is the weight below which a class is dropped: that of a single run
// which is 184 runs old. It bounds the number of classes.
const leastWeight = 0.0005

// Weights are the weights of classes of durations (see workqueue.DurationBucket);
// their sum is 1 or a little less. The zero value is ready to use.
type Weights map[int]float64

// add adds a part of the whole to a class and scales all classes down by it.
func (w *Weights) add(bucket int, part float64) {
	if *w == nil {
		*w = Weights{}
	}
	for b := range *w {
		(*w)[b] *= 1 - part
	}
	(*w)[bucket] += part
	maps.DeleteFunc(*w, func(_ int, weight float64) bool { return weight < leastWeight })
}

// Percentile returns the duration that the given part of the weight does not
// exceed, within workqueue.DurationError of itself; 0 if there are no classes.
func (w Weights) Percentile(part float64) time.Duration {
	buckets := slices.Sorted(maps.Keys(w))
	total := 0.0
	for _, b := range buckets {
		total += w[b]
	}
	const rounding = 1e-9 // error of a sum of weights
	need := part*total - rounding
	for _, b := range buckets {
		if need -= w[b]; need <= 0 {
			return workqueue.BucketDuration(b)
		}
	}
	return 0
}

// JSON returns the weights as they are stored.
func (w Weights) JSON() workqueue.JSONText {
	rounded := make(map[int]float64, len(w))
	for b, weight := range w {
		rounded[b] = math.Round(weight*1e6) / 1e6
	}
	text, err := json.Marshal(rounded)
	if err != nil {
		return "{}" // only infinities and NaN have no JSON, and no weight is one
	}
	return workqueue.JSONText(text)
}

// ParseWeights parses stored weights. Since a person may have edited the text, it
// drops impossible weights, and returns nil for a text that is not JSON.
func ParseWeights(text workqueue.JSONText) Weights {
	var w Weights
	if json.Unmarshal([]byte(text), &w) != nil {
		return nil
	}
	maps.DeleteFunc(w, func(_ int, weight float64) bool { return !(weight >= leastWeight && weight <= 1) })
	return w
}
