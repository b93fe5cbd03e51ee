package workqueue

import (
	"testing"
	"time"

	"botwork/workqueue/matching"
)

// What another worker could start now is not for a worker to take without asking.
func TestOwnPassLeavesWhatOthersMayBeIdleFor(t *testing.T) {
	const taker, other = 1, 2
	running := func(priority, count int) HeldWork {
		return HeldWork{Priority: priority, Running: true, Count: count, Estimate: time.Second}
	}
	assigned := func(priority, count int) HeldWork {
		return HeldWork{Priority: priority, Count: count, Estimate: time.Second}
	}
	turns := matching.Distribution{Mode: matching.LongestIdle}
	for _, c := range []struct {
		name     string
		workers  Availability
		held     []HeldWork // of the other, of 4 slots, 1 of them reserved
		due      int
		mode     matching.Distribution
		own      bool // it may take by itself at all
		wantTake bool
	}{
		{"idle: of the same kind", IdleWorkers, []HeldWork{running(700, 1)}, 900, matching.Distribution{}, true, true},
		{"idle: of a kind below", IdleWorkers, []HeldWork{running(2000, 1)}, 900, matching.Distribution{}, true, true},
		{"idle: of a kind above", IdleWorkers, []HeldWork{running(700, 1)}, 2000, matching.Distribution{}, true, false},
		{"idle: above, of the same kind", IdleWorkers, []HeldWork{running(1500, 1)}, 2000, matching.Distribution{}, true, true},
		{"a slot is free", AvailableWorkers, []HeldWork{running(700, 2)}, 600, matching.Distribution{}, false, false},
		{"all slots run something", AvailableWorkers, []HeldWork{running(2000, 1), running(3, 3)}, 2000, matching.Distribution{}, true, true},
		{"the reserved slot is free", AvailableWorkers, []HeldWork{running(700, 3)}, 900, matching.Distribution{}, true, true},
		{"the reserved slot is free for a high item", AvailableWorkers, []HeldWork{running(700, 3)}, 1001, matching.Distribution{}, true, false},
		{"more urgent than what is assigned there", AvailableWorkers, []HeldWork{running(700, 3), assigned(800, 1)}, 900, matching.Distribution{}, true, true},
		{"more urgent than what would start there", AvailableWorkers, []HeldWork{running(700, 2), assigned(800, 2)}, 900, matching.Distribution{}, true, false},
		{"less urgent than what would start there", AvailableWorkers, []HeldWork{running(700, 2), assigned(800, 2)}, 800, matching.Distribution{}, true, true},
		{"a mode that fills slots", AvailableWorkers, []HeldWork{running(700, 4)}, 800, turns, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &assignMemory{given: map[int64]int64{}, loads: []WorkerLoad{
				{WorkerID: taker, Capacity: 4, Held: []HeldWork{running(700, 4)}},
				{WorkerID: other, Capacity: 4, Reserved: 1, Held: c.held},
			}}
			band := EveryPriority
			band.Min = MediumPriority
			p := AssignParams{
				Band: band, Workers: c.workers, Distribution: c.mode,
				Take: &Taking{WorkerID: taker, Band: band, Max: 10, Ahead: true, Within: time.Minute},
			}
			_, own, err := p.pass(t.Context(), m)
			if err != nil || (own != nil) != c.own {
				t.Fatalf("pass: %v, %v; want that the worker may go on by itself: %v", own, err, c.own)
			}
			if own == nil {
				return
			}
			m.items = []DueItem{{ID: 7, Priority: c.due, Estimate: time.Millisecond}}
			items, done, err := own.take(t.Context(), m, p)
			if err != nil || done != c.wantTake || (items.Len() == 1) != c.wantTake {
				t.Errorf("took %d items, done: %v, %v; want done: %v", items.Len(), done, err, c.wantTake)
			}
		})
	}
}
