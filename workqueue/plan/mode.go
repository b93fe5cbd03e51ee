package plan

import "botwork/workqueue/matching"

// mode is a matching.Mode that is fast to compare.
type mode int8

const (
	leastLoaded mode = iota // where it starts first, then the least summed estimated duration for each slot
	roundRobin              // the next one by id after the one that got the last item
	longestIdle             // the lowest load ratio, then the longest available
	bestWorker              // the highest score, then the longest available
)

func modeOf(m matching.Mode) mode {
	switch m {
	case matching.RoundRobin:
		return roundRobin
	case matching.LongestIdle:
		return longestIdle
	case matching.BestWorker:
		return bestWorker
	default:
		return leastLoaded
	}
}

// name is the inverse of modeOf.
func (m mode) name() matching.Mode {
	return [...]matching.Mode{matching.LeastLoaded, matching.RoundRobin, matching.LongestIdle, matching.BestWorker}[m]
}

// fillsSlots reports whether the mode gives items to free slots only. The other one
// plans ahead, within the horizon.
func (m mode) fillsSlots() bool { return m != leastLoaded }

// key orders the workers for an item: lowest first, then the lowest id. The keys of a
// worker only grow while a plan is made.
type key struct {
	tier   tier
	first  float64
	second int64
}

func (k key) less(other key) bool {
	if k.tier != other.tier {
		return k.tier < other.tier
	}
	if k.first != other.first {
		return k.first < other.first
	}
	return k.second < other.second
}

// key of a worker for the items of a class. Times up to 2^53 ms are exact.
func (c *class) key(n *node) key {
	switch c.mode {
	case longestIdle:
		return key{empty, float64(n.used) / float64(n.Slots), n.since}
	case bestWorker:
		return key{n.tier(), -c.scores[n.index], n.since}
	default:
		return key{first: float64(n.startOf(c)), second: n.sum / int64(n.Slots)}
	}
}
