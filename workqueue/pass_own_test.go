package workqueue

import (
	"testing"
	"time"
)

// A worker that holds a medium item is idle for a high one: that is not for another to
// take without asking.
func TestOwnPassLeavesWhatOthersMayBeIdleFor(t *testing.T) {
	const taker, other = 1, 2
	for _, c := range []struct {
		name      string
		held, due int
		taken     bool
	}{
		{"of the same kind", 700, 900, true},
		{"of a kind below", 2000, 900, true},
		{"of a kind above", 700, 2000, false},
		{"above, of the same kind", 1500, 2000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &assignMemory{given: map[int64]int64{}, loads: []WorkerLoad{
				{WorkerID: taker, Capacity: 4},
				{WorkerID: other, Capacity: 4, Held: []HeldWork{{Priority: c.held, Running: true, Count: 1, Estimate: time.Second}}},
			}}
			band := EveryPriority
			band.Min = MediumPriority
			p := AssignParams{Band: band, Take: &Taking{WorkerID: taker, Band: band, Max: 10, Ahead: true, Within: time.Minute}}
			_, own, err := p.pass(t.Context(), m)
			if err != nil || own == nil {
				t.Fatalf("pass: %v, %v; want that the worker may go on by itself", own, err)
			}
			m.items = []DueItem{{ID: 7, Priority: c.due, Estimate: time.Millisecond}}
			items, done, err := own.take(t.Context(), m, p)
			if err != nil || done != c.taken || (items.Len() == 1) != c.taken {
				t.Errorf("took %d items, done: %v, %v; want done: %v", items.Len(), done, err, c.taken)
			}
		})
	}
}
