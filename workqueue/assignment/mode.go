package assignment

// Mode says which of the workers that could take an item gets it.
type Mode int

// The modes.
const (
	LeastLoaded Mode = iota // where it starts first, then the least summed estimated duration for each slot
	RoundRobin              // the next one by id after the one that got the last item
	LongestIdle             // the lowest load ratio, then the longest available
	BestWorker              // the highest score, then the longest available
)

// key orders the workers for an item: the least first, then the lowest id. The
// keys of a worker only grow while a plan is made.
type key struct {
	first  float64
	second int64
}

func (k key) less(other key) bool {
	if k.first != other.first {
		return k.first < other.first
	}
	return k.second < other.second
}

// key of a worker for the items of a class. Times up to 2^53 ms are exact.
func (c *class) key(n *node) key {
	switch c.mode {
	case LongestIdle:
		return key{float64(n.used) / float64(n.Slots), n.since}
	case BestWorker:
		return key{-c.scores[n.index], n.since}
	default:
		return key{float64(n.startOf(c)), n.sum / int64(n.Slots)}
	}
}
