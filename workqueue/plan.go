package workqueue

import (
	"container/heap"
	"math"
	"time"
)

// planner spreads items over workers: each item, in the order given, goes to
// the worker with the least summed estimated duration, the lowest id among
// equals. It is greedy list scheduling; a worker that has its share of work
// (the horizon for each of its slots) or of items takes no more.
type planner struct {
	horizon      time.Duration
	maxPerWorker int
	open         workerHeap

	// idle counts the slots of each worker that nothing is held for, of any
	// priority; nil when no queue limits its starts.
	idle map[int64]int
}

// newPlanner takes the workers as the pass found them.
func newPlanner(loads []WorkerLoad, p AssignParams) *planner {
	pl := &planner{horizon: p.Horizon, maxPerWorker: p.MaxPerWorker}
	for _, l := range loads {
		if p.Workers == IdleWorkers && l.HeldInBand > 0 {
			continue
		}
		if !pl.full(&l) {
			pl.open = append(pl.open, &l)
		}
	}
	heap.Init(&pl.open)
	return pl
}

// full tells whether a worker has its share.
func (pl *planner) full(l *WorkerLoad) bool {
	return l.HeldDuration >= pl.horizon*time.Duration(l.Capacity) || l.HeldInBand >= pl.maxPerWorker
}

// done tells that no worker can take anything more.
func (pl *planner) done() bool { return len(pl.open) == 0 }

// watchSlots makes give know which workers have a slot to start in at once, from
// what they hold of every priority.
func (pl *planner) watchSlots(all []WorkerLoad) {
	pl.idle = make(map[int64]int, len(all))
	for _, l := range all {
		pl.idle[l.WorkerID] = l.Capacity - l.HeldInBand
	}
}

// give assigns one item of the given estimate; false when no worker is open. One
// that is to start soon goes to a worker with an idle slot if there is any: until
// it has started it takes up a place of its queue's rate. Where all slots are
// taken it goes where every other would: to wait for a worker that is idle in the
// moment of a pass could last for ever.
func (pl *planner) give(itemID int64, estimate time.Duration, soon bool) (Assignment, bool) {
	if pl.done() {
		return Assignment{}, false
	}
	at := 0
	if soon {
		at = pl.idlest()
	}
	w := pl.open[at]
	// A row may say three hundred years; two of them must not make a worker empty.
	w.HeldDuration += min(estimate, math.MaxInt64-w.HeldDuration)
	w.HeldInBand++
	if pl.idle != nil {
		pl.idle[w.WorkerID]--
	}
	if pl.full(w) {
		heap.Remove(&pl.open, at)
	} else {
		heap.Fix(&pl.open, at)
	}
	return Assignment{ItemID: itemID, WorkerID: w.WorkerID}, true
}

// idlest finds the least loaded of the open workers that have an idle slot, else
// of all.
func (pl *planner) idlest() int {
	best := 0
	for i, w := range pl.open {
		if pl.idle[w.WorkerID] > 0 && (pl.idle[pl.open[best].WorkerID] <= 0 || pl.open.Less(i, best)) {
			best = i
		}
	}
	return best
}

// room estimates how many more items of a size fit; never 0 while open.
func (pl *planner) room(size time.Duration) int {
	n := 0
	for _, w := range pl.open {
		left := pl.horizon*time.Duration(w.Capacity) - w.HeldDuration
		n += min(int(left/max(size, time.Millisecond))+1, pl.maxPerWorker-w.HeldInBand)
	}
	return n
}

// workerHeap has the least loaded worker on top.
type workerHeap []*WorkerLoad

func (h workerHeap) Len() int { return len(h) }
func (h workerHeap) Less(i, j int) bool {
	if h[i].HeldDuration != h[j].HeldDuration {
		return h[i].HeldDuration < h[j].HeldDuration
	}
	return h[i].WorkerID < h[j].WorkerID
}
func (h workerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *workerHeap) Push(x any)   { *h = append(*h, x.(*WorkerLoad)) }
func (h *workerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
