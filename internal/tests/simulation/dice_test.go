package simulation

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// dice are the random draws for one event. They depend on the seed and on the name of
// the event, not on the time of the call: goroutines that act at the same instant may run
// in any order.
type dice struct{ *rand.Rand }

// roll returns the dice of an event.
func roll(seed uint64, thing string, n int) dice {
	h := fnv.New64a()
	h.Write([]byte(thing))
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()+uint64(n)*0x9E3779B97F4A7C15))}
}

// chance is true in this percentage of draws.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between draws a duration from low to high, in nanoseconds.
func (d dice) between(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)))
}
