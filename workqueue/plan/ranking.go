package plan

import (
	"math"
	"math/bits"
)

// ranking orders the workers for all classes of one mode and channel, regardless of
// which workers each class may use: a heap for each class would be out of date
// whenever another class has given items, and updating it would cost more than all
// the rest. It is a tournament of two rounds, first among 64 workers each, which are
// one word in a Set.
type ranking struct {
	like  *class // of the mode and the channel
	keys  []key  // of each worker; the value never if it has no room for the channel
	least []key  // of each 64 of them
	seen  int    // how much of Planner.changed is included in the keys
}

type rankingOf struct {
	mode    mode
	channel string
}

// never sorts after all workers that have room.
var never = key{tiers, math.Inf(1), math.MaxInt64}

// first returns the index of the best of the eligible workers, of equals the first one;
// -1 if none of them has room.
func (r *ranking) first(p *Planner, eligible Set) int {
	r.catchUp(p)
	best, at := never, -1
	look := func(block int) {
		for word := eligible[block]; word != 0; word &= word - 1 {
			i := block*64 + bits.TrailingZeros64(word)
			if k := r.keys[i]; k.less(best) || k == best && i < at {
				best, at = k, i
			}
		}
	}
	// Checking the likely block first means that most others can be skipped.
	likely, lowest := -1, never
	for block, word := range eligible {
		if word != 0 && r.least[block].less(lowest) {
			likely, lowest = block, r.least[block]
		}
	}
	if likely < 0 {
		return -1
	}
	look(likely)
	if best == lowest {
		return at // no other block has a lower key, and none before it an equal one
	}
	for block, word := range eligible {
		if word != 0 && block != likely && !best.less(r.least[block]) {
			look(block)
		}
	}
	return at
}

// catchUp updates the ranking with the changes since its last use.
func (r *ranking) catchUp(p *Planner) {
	if changed := p.changed[r.seen:]; r.keys != nil && len(changed) < len(p.nodes) {
		for _, i := range changed {
			r.mend(p, int(i))
		}
	} else {
		r.fill(p)
	}
	r.seen = len(p.changed)
}

func (r *ranking) fill(p *Planner) {
	if r.keys == nil {
		r.keys, r.least = make([]key, len(p.nodes)), make([]key, len(p.open))
	}
	for i := range r.keys {
		r.keys[i] = r.keyOf(p, i)
	}
	for block := range r.least {
		r.least[block] = r.leastOf(block)
	}
}

func (r *ranking) mend(p *Planner, i int) {
	before, block := r.keys[i], i/64
	r.keys[i] = r.keyOf(p, i)
	switch {
	case r.keys[i] == before:
	case r.keys[i].less(r.least[block]):
		r.least[block] = r.keys[i]
	case before == r.least[block]:
		r.least[block] = r.leastOf(block)
	}
}

func (r *ranking) keyOf(p *Planner, i int) key {
	n := p.nodes[i]
	if !p.open.Has(i) || !n.takes(r.like, &p.o) {
		return never
	}
	return r.like.key(n)
}

func (r *ranking) leastOf(block int) key {
	least := never
	for _, k := range r.keys[block*64 : min(block*64+64, len(r.keys))] {
		if k.less(least) {
			least = k
		}
	}
	return least
}
