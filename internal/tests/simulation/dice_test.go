package simulation

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// dice are the draws for one thing that happens. They follow from the seed and
// from what it is, not from when it is asked for: what goroutines do at the
// same instant may come in any order.
type dice struct{ *rand.Rand }

// roll returns the dice of a thing.
func roll(seed uint64, thing string, n int) dice {
	h := fnv.New64a()
	h.Write([]byte(thing))
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()+uint64(n)*0x9E3779B97F4A7C15))}
}

// chance is true that many times in a hundred.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between is a time from low to high, to the nanosecond.
func (d dice) between(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)))
}
