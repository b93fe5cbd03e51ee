package assign

import (
	"errors"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// What another worker could start now is not for a worker to take without asking, but for
// its free slots.
func TestSelfAssignLeavesItemsForIdleWorkers(t *testing.T) {
	const taker, other = 1, 2
	running := func(priority, count int) workqueue.HeldWork {
		return workqueue.HeldWork{Priority: priority, Running: true, Count: count, Estimate: time.Second}
	}
	assigned := func(priority, count int) workqueue.HeldWork {
		return workqueue.HeldWork{Priority: priority, Count: count, Estimate: time.Second}
	}
	turns := matching.Distribution{Mode: matching.LongestIdle}
	// What it takes beyond its own free slots, and for these.
	const neither, free, both = 0, 1, 2
	for _, c := range []struct {
		name    string
		workers Availability
		held    []workqueue.HeldWork // of the other, of 4 slots, 1 of them reserved
		due     int
		mode    matching.Distribution
		want    int
	}{
		{"idle: it holds a less urgent item", IdleWorkers, []workqueue.HeldWork{running(3, 1)}, 2000, matching.Distribution{}, both},
		{"idle: it holds a more urgent item", IdleWorkers, []workqueue.HeldWork{running(2000, 1)}, 900, matching.Distribution{}, both},
		{"idle: an item is assigned to it", IdleWorkers, []workqueue.HeldWork{assigned(700, 1)}, 2000, matching.Distribution{}, both},
		{"idle: it holds nothing", IdleWorkers, nil, 900, matching.Distribution{}, free},
		{"a slot is free", AvailableWorkers, []workqueue.HeldWork{running(700, 2)}, 600, matching.Distribution{}, free},
		{"all slots run something", AvailableWorkers, []workqueue.HeldWork{running(2000, 1), running(3, 3)}, 2000, matching.Distribution{}, both},
		{"the reserved slot is free", AvailableWorkers, []workqueue.HeldWork{running(700, 3)}, 900, matching.Distribution{}, both},
		{"the reserved slot is free for a high item", AvailableWorkers, []workqueue.HeldWork{running(700, 3)}, 1001, matching.Distribution{}, free},
		{"more urgent than what is assigned there", AvailableWorkers, []workqueue.HeldWork{running(700, 3), assigned(800, 1)}, 900, matching.Distribution{}, both},
		{"more urgent than what would start there", AvailableWorkers, []workqueue.HeldWork{running(700, 2), assigned(800, 2)}, 900, matching.Distribution{}, free},
		{"less urgent than what would start there", AvailableWorkers, []workqueue.HeldWork{running(700, 2), assigned(800, 2)}, 800, matching.Distribution{}, both},
		{"a mode that fills slots", AvailableWorkers, []workqueue.HeldWork{running(700, 4)}, 800, turns, neither},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, ahead := range []bool{true, false} {
				if !ahead && c.workers == IdleWorkers {
					continue // what is free is not for a worker that holds something
				}
				m := &assignMemory{given: map[int64]int64{}, loads: []workqueue.WorkerLoad{
					{WorkerID: taker, Capacity: 4, Held: []workqueue.HeldWork{running(700, 3)}},
					{WorkerID: other, Capacity: 4, Reserved: 1, Held: c.held},
				}}
				band := workqueue.EveryPriority
				band.Min = workqueue.MediumPriority
				p := AssignParams{
					Band: band, Workers: c.workers, Distribution: c.mode, FreeSlots: !ahead,
					Claim: &workqueue.PassClaim{WorkerID: taker, Band: band, Max: 1, Ahead: ahead, Within: time.Minute},
				}
				_, own, err := p.Pass(t.Context(), m)
				if err != nil || own == nil {
					t.Fatalf("pass: %v, %v; want that the worker may go on by itself", own, err)
				}
				m.items = []workqueue.DueItem{{ID: 7, Priority: c.due, Estimate: time.Millisecond}}
				want := c.want == both || c.want == free && !ahead
				items, done, err := own.Assign(t.Context(), m, p)
				if err != nil || done != want || (items.Len() == 1) != want {
					t.Errorf("ahead: %v: took %d items, done: %v, %v; want done: %v", ahead, items.Len(), done, err, want)
				}
			}
		})
	}
}

// TestSelfAssignAfterClaimOfAssignedItems checks that items which other workers have
// assigned to the worker in the meantime are claimed first.
func TestSelfAssignAfterClaimOfAssignedItems(t *testing.T) {
	const taker, other = 1, 2
	m := &assignMemory{given: map[int64]int64{}, loads: []workqueue.WorkerLoad{{WorkerID: taker, Capacity: 4}, {WorkerID: other, Capacity: 4}}}
	p := AssignParams{FreeSlots: true, Claim: &workqueue.PassClaim{WorkerID: taker, Band: workqueue.EveryPriority, Max: 4, Within: time.Minute}}
	_, own, err := p.Pass(t.Context(), m)
	if err != nil || own == nil {
		t.Fatalf("pass: %v, %v; want that the worker may go on by itself", own, err)
	}
	m.passes++
	m.items = []workqueue.DueItem{{ID: 7, Estimate: time.Second}}
	if items, _, err := own.Assign(t.Context(), m, p); !errors.Is(err, ErrConcurrentPass) || items.Len() > 0 {
		t.Errorf("after a pass of another one it took %d items, %v; want ErrConcurrentPass", items.Len(), err)
	}
	if items, done, err := own.Assign(t.Context(), m, p); err != nil || !done || items.Len() != 1 {
		t.Errorf("after that it took %d items, done: %v, %v; want one", items.Len(), done, err)
	}
}
