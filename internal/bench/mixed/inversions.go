package mixed

import (
	"container/heap"
	"sort"
	"time"
)

// Inversions counts the runs that started although a more urgent item could have started
// in their slot: an item of a higher priority that had been eligible for longer than the
// allowance and did not start within the next 20 ms either. longest is the longest time
// for which the most urgent overtaken item had been due. Every worker may run every item.
func (r *Record) Inversions(allowance time.Duration) (n int, longest time.Duration) {
	var waiting, starts []wait
	for i := range r.Lives {
		for _, w := range r.Lives[i].waits(r.Over) {
			waiting = append(waiting, w)
			if w.began {
				starts = append(starts, w)
			}
		}
	}
	since := func(w wait) time.Duration { return w.eligible(r.Up) + allowance }
	sort.SliceStable(waiting, func(i, k int) bool { return since(waiting[i]) < since(waiting[k]) })
	sort.SliceStable(starts, func(i, k int) bool { return starts[i].until < starts[k].until })
	var urgent urgency
	for _, s := range starts {
		for len(waiting) > 0 && since(waiting[0]) < s.until {
			heap.Push(&urgent, waiting[0])
			waiting = waiting[1:]
		}
		for len(urgent) > 0 && urgent[0].until <= s.until+startSlack {
			heap.Pop(&urgent)
		}
		if len(urgent) > 0 && urgent[0].priority > s.priority {
			n++
			longest = max(longest, s.until-max(urgent[0].due, r.Up))
		}
	}
	return n, longest
}

// urgency is a heap of waits; the highest priority comes first.
type urgency []wait

func (u urgency) Len() int           { return len(u) }
func (u urgency) Less(i, j int) bool { return u[i].priority > u[j].priority }
func (u urgency) Swap(i, j int)      { u[i], u[j] = u[j], u[i] }
func (u *urgency) Push(w any)        { *u = append(*u, w.(wait)) }
func (u *urgency) Pop() any {
	last := len(*u) - 1
	w := (*u)[last]
	*u = (*u)[:last]
	return w
}
