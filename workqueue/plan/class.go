package plan

import (
	"sort"

	"botwork/workqueue/matching"
)

// Class is what items for the same workers have in common.
type Class struct {
	Mode    matching.Mode
	Queue   string
	Channel string

	// Scope identifies the turn for RoundRobin: classes of one scope take turns
	// together.
	Scope string

	// Eligible are the workers that the items' selectors allow; nil: all. Workers
	// that do not serve the queue or do not run the channel are always excluded.
	Eligible Set

	// Scores are for BestWorker: one for each worker by its index, the highest first.
	Scores []float64
}

type class struct {
	mode      mode
	channel   string
	scope     string
	eligible  Set
	scores    []float64
	turn      *turn    // of roundRobin
	ranking   *ranking // of leastLoaded and longestIdle
	picks     int
	exhausted bool // no worker has room for more of its items
	kept      int  // for how many of its items slots were kept; the number of workers: keep no more
	heap      []entry
}

type entry struct {
	key key
	at  int32
}

// turn is the state of a scope that takes turns.
type turn struct {
	last  int64 // the worker that got the last item
	moved bool
}

// scanned is for how many of a class's items all workers are checked: most classes of
// items with labels of their own have few items, and a heap for each class would cost
// more than it saves.
const scanned = 4

// pick returns the worker for the next item of the class; nil if there is none.
func (c *class) pick(p *Planner) *node {
	if c.exhausted {
		return nil
	}
	n := c.find(p)
	c.exhausted = n == nil
	return n
}

func (c *class) find(p *Planner) *node {
	if c.mode == roundRobin {
		return c.next(p)
	}
	if c.ranking != nil {
		if at := c.ranking.first(p, c.eligible); at >= 0 {
			return p.nodes[at]
		}
		return nil
	}
	c.picks++
	if c.picks <= scanned {
		return c.scan(p)
	}
	if c.heap == nil {
		c.build(p)
	}
	for len(c.heap) > 0 {
		top := &c.heap[0]
		n := p.nodes[top.at]
		if !p.open.Has(n.index) || !n.takes(c, &p.o) {
			last := len(c.heap) - 1
			c.heap[0] = c.heap[last]
			c.heap = c.heap[:last]
		} else if now := c.key(n); now != top.key {
			top.key = now
		} else {
			return n
		}
		c.sift(0)
	}
	return nil
}

// next returns the worker whose turn it is, of the first tier that has one.
func (c *class) next(p *Planner) *node {
	first := sort.Search(len(p.nodes), func(i int) bool { return p.nodes[i].ID > c.turn.last })
	for _, set := range p.tiers {
		for _, after := range []int{first, 0} {
			for i := nextIn(c.eligible, set, after); i >= 0; i = nextIn(c.eligible, set, i+1) {
				if p.nodes[i].takes(c, &p.o) {
					return p.nodes[i]
				}
			}
		}
	}
	return nil
}

// scan checks all workers.
func (c *class) scan(p *Planner) *node {
	var best *node
	var least key
	for i := nextIn(c.eligible, p.open, 0); i >= 0; i = nextIn(c.eligible, p.open, i+1) {
		n := p.nodes[i]
		if !n.takes(c, &p.o) {
			continue
		}
		if k := c.key(n); best == nil || k.less(least) {
			best, least = n, k
		}
	}
	return best
}

func (c *class) build(p *Planner) {
	c.heap = make([]entry, 0, c.eligible.Count())
	for i := nextIn(c.eligible, p.open, 0); i >= 0; i = nextIn(c.eligible, p.open, i+1) {
		c.heap = append(c.heap, entry{c.key(p.nodes[i]), int32(i)})
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.sift(i)
	}
}

// sift restores the heap below index i. Of equal keys the lowest worker is first.
func (c *class) sift(i int) {
	h := c.heap
	if i >= len(h) {
		return
	}
	moved := h[i]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(moved) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = moved
}

func (e entry) before(other entry) bool {
	if e.key != other.key {
		return e.key.less(other.key)
	}
	return e.at < other.at
}
