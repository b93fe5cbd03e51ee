package plan

import (
	"math"
	"slices"
)

// node is a worker with the items that it holds and those assigned so far. All values only grow.
type node struct {
	Worker
	index int

	// free is a heap of the times at which the slots become free, in milliseconds from now.
	free []slot

	barred bool // it gets no items: it held some before, see Options.Idle

	kept     int   // slots that items of the current priority leave free
	assigned int   // items that this plan assigns to it
	sum      int64 // of the estimates of its items, each times the item's cost
	used     int   // slots that these items would use if all ran at once

	// share is its work at or above the current priority, no item longer than
	// the horizon: a long item uses one slot and does not replace the work of the others.
	share int64
	held  int // items at or above the current priority

	since int64           // see Worker.AvailableSince
	lanes map[string]lane // channels with a maximum that it runs
}

type slot struct {
	at int64
	no int32
}

// lane is a channel with a maximum number of items that run at a time.
type lane struct {
	ends  []int64 // when each of them will be free, ascending
	share int64
}

func newNode(w Worker, index int) *node {
	n := &node{Worker: w, index: index, since: w.AvailableSince, free: make([]slot, max(w.Slots, 0))}
	for i := range n.free {
		n.free[i].no = int32(i)
	}
	for name, c := range w.Channels {
		if c.Max > 0 {
			if n.lanes == nil {
				n.lanes = map[string]lane{}
			}
			n.lanes[name] = lane{ends: make([]int64, min(c.Max, n.Slots))}
		}
	}
	return n
}

// startOf returns when an item of the class could start here.
func (n *node) startOf(c *class) int64 {
	cost, _, _ := n.cost(c.channel)
	return max(n.freeAt(cost+n.kept), n.laneAt(c.channel))
}

// freeAt returns when this many slots are free.
func (n *node) freeAt(cost int) int64 {
	if cost == 1 {
		return n.free[0].at
	}
	at := make([]int64, len(n.free))
	for i, s := range n.free {
		at[i] = s.at
	}
	slices.Sort(at)
	return at[min(cost, len(at))-1]
}

func (n *node) laneAt(channel string) int64 {
	if l, ok := n.lanes[channel]; ok && len(l.ends) > 0 {
		return l.ends[0]
	}
	return 0
}

// run puts an item on the slots that are free first. It returns when the item starts
// there, and on which slot if it uses only one.
func (n *node) run(channel string, estimate int64) (start int64, no int32) {
	cost, _, _ := n.cost(channel)
	cost = min(cost, len(n.free))
	start, no = max(n.freeAt(cost+n.kept), n.laneAt(channel)), -1
	end := add(start, estimate)
	if cost == 1 {
		no = n.free[0].no
		n.free[0].at = end
		siftSlot(n.free)
	} else {
		slices.SortFunc(n.free, func(a, b slot) int { return compare(a.at, b.at) })
		for i := range cost {
			n.free[i].at = end
		}
		slices.SortFunc(n.free, func(a, b slot) int { return compare(a.at, b.at) }) // a sorted list is a heap
	}
	if l, ok := n.lanes[channel]; ok && len(l.ends) > 0 {
		l.ends[0] = end
		slices.Sort(l.ends)
		n.lanes[channel] = l
	}
	n.sum = add(n.sum, mul(estimate, int64(cost)))
	n.used += cost
	return start, no
}

// runMany puts on the slots what the worker held before the pass: count items whose
// estimates have this sum. All but the last round is spread evenly.
func (n *node) runMany(channel string, count int, sum int64) {
	if count <= 0 || len(n.free) == 0 {
		return
	}
	cost, _, _ := n.cost(channel)
	atATime := max(len(n.free)/min(cost, len(n.free)), 1)
	each := max(sum/int64(count), 1) // an occupied slot is not free at once
	if rounds := count / atATime; rounds > 1 {
		for i := range n.free {
			n.free[i].at = add(n.free[i].at, mul(each, int64(rounds-1)))
		}
		n.sum = add(n.sum, mul(mul(each, int64(rounds-1)), int64(atATime*cost)))
		n.used += (rounds - 1) * atATime * cost
		count -= (rounds - 1) * atATime
	}
	for range count {
		n.run(channel, each)
	}
}

// count adds items to the worker's share.
func (n *node) count(channel string, items int, sum, horizon int64) {
	cost, _, _ := n.cost(channel)
	n.held += items
	part := min(sum, mul(horizon, int64(items)))
	n.share = add(n.share, mul(part, int64(cost)))
	if l, ok := n.lanes[channel]; ok {
		l.share = add(l.share, part)
		n.lanes[channel] = l
	}
}

// uncount undoes count.
func (n *node) uncount(channel string, items int, sum, horizon int64) {
	cost, _, _ := n.cost(channel)
	n.held -= items
	part := min(sum, mul(horizon, int64(items)))
	n.share -= mul(part, int64(cost))
	if l, ok := n.lanes[channel]; ok {
		l.share -= part
		n.lanes[channel] = l
	}
}

// full reports whether the worker's share is used up, regardless of the channel.
func (n *node) full(o *Options) bool {
	return n.Slots < 1 || n.held >= o.MaxPerWorker || n.share >= n.room(o)
}

// room returns how much of a share items of the current priority may use.
func (n *node) room(o *Options) int64 { return mul(o.Horizon, int64(n.Slots-n.kept)) }

// takes reports whether a worker that is not full has room for an item of the class:
// for an item that costs more than one slot, that many slots must have room. In a
// mode that fills slots they must be free, and so must the channel.
func (n *node) takes(c *class, o *Options) bool {
	cost, most, takes := n.cost(c.channel)
	if !takes || cost > n.Slots-n.kept {
		return false
	}
	if (c.mode.fillsSlots() && !o.Unbounded || o.fillsSlots(n)) && (!n.hasFree(cost) || n.laneAt(c.channel) > 0) {
		return false
	}
	if cost > 1 && n.room(o)-n.share <= mul(o.Horizon, int64(cost-1)) {
		return false
	}
	return most == 0 || n.lanes[c.channel].share < mul(o.Horizon, int64(most))
}

// siftSlot restores the heap after the time of its first slot has increased.
func siftSlot(h []slot) {
	i, moved := 0, h[0]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].at < h[child].at {
			child++
		}
		if h[child].at >= moved.at {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = moved
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// add and mul do not overflow: a row may contain three hundred years, and two of them
// must not make a worker appear empty. Neither accepts negative numbers.
func add(a, b int64) int64 {
	if a > math.MaxInt64/2-b {
		return math.MaxInt64 / 2
	}
	return a + b
}

func mul(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/2/b {
		return math.MaxInt64 / 2
	}
	return a * b
}
