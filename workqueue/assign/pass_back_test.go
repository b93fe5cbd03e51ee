package assign

import (
	"context"
	"testing"
	"time"

	"botwork/workqueue"
)

// heldMemory has assigned items that a pass may take back.
type heldMemory struct {
	assignMemory
	assigned []workqueue.DueItem
}

func (m *heldMemory) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

func (m *heldMemory) AssignedItems(context.Context, workqueue.Band, int) ([]workqueue.DueItem, error) {
	return m.assigned, nil
}

// hold adds a worker that runs something on all of its slots, for as long as is left, and is
// assigned so many items of a length.
func (m *heldMemory) hold(worker int64, slots int, left time.Duration, count int, each time.Duration) {
	m.loads = append(m.loads, workqueue.WorkerLoad{WorkerID: worker, Capacity: slots, Held: []workqueue.HeldWork{
		{Priority: 700, Running: true, Count: slots, Estimate: time.Duration(slots) * left},
		{Priority: 700, Count: count, Estimate: time.Duration(count) * each},
	}})
	for range count {
		m.assigned = append(m.assigned, workqueue.DueItem{ID: int64(len(m.assigned) + 1), Priority: 700, Estimate: each, Holder: worker})
	}
}

// TestItemsBehindOverrunMove checks that items that wait behind items which run far
// longer than expected move to an idle worker, unless they would start almost as soon
// where they are.
func TestItemsBehindOverrunMove(t *testing.T) {
	const busy, idle = 1, 2
	for _, c := range []struct {
		name        string
		left        time.Duration // of each item that runs
		count       int
		each        time.Duration
		least, most int // how many move
	}{
		{"960 items of 1 ms behind four that overran to 3 s", 3 * time.Second, 960, time.Millisecond, 900, 960},
		{"four items behind four that overran to 3 s", 3 * time.Second, 4, time.Millisecond, 4, 4},
		{"what starts in 1.5 s", 1500 * time.Millisecond, 4, 100 * time.Millisecond, 0, 0},
		{"what starts in less than 2 s, one after the other", time.Second, 30, 100 * time.Millisecond, 0, 0},
		{"half of a long queue", time.Second, 80, 10 * time.Second, 36, 44},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &heldMemory{assignMemory: assignMemory{given: map[int64]int64{}}}
			m.hold(busy, 4, c.left, c.count, c.each)
			m.loads = append(m.loads, workqueue.WorkerLoad{WorkerID: idle, Capacity: 4})
			result, err := AssignPass(t.Context(), m, AssignParams{})
			if err != nil || result.Moved < c.least || result.Moved > c.most {
				t.Errorf("%d moved, %v; want %d to %d", result.Moved, err, c.least, c.most)
			}
			for id, worker := range m.given {
				if worker != idle {
					t.Errorf("item %d moved to worker %d, want %d", id, worker, idle)
				}
			}
		})
	}
}

// In a balanced cluster nothing moves: all slots are taken, and what waits is spread evenly.
func TestBalancedClusterMovesNothing(t *testing.T) {
	m := &heldMemory{assignMemory: assignMemory{given: map[int64]int64{}}}
	for worker := range int64(4) {
		m.hold(worker+1, 4, time.Duration(worker+1)*10*time.Second, 20, 10*time.Second)
	}
	if result, err := AssignPass(t.Context(), m, AssignParams{}); err != nil || result.Moved != 0 {
		t.Errorf("%d moved, %v; want none", result.Moved, err)
	}
}

// An item waits beside a free slot where that slot is reserved, or is too small for it, or
// its channel is full: it goes to a worker that has room for it.
func TestItemsThatMayNotUseFreeSlotMove(t *testing.T) {
	const busy, idle = 1, 2
	for _, c := range []struct {
		name     string
		reserved int
		channels workqueue.JSONText
		running  []workqueue.HeldWork
		waiting  workqueue.HeldWork
		moved    int
	}{
		{"the free slot is reserved", 1, "", []workqueue.HeldWork{{Priority: 700, Count: 2}}, workqueue.HeldWork{Priority: 700, Count: 1}, 1},
		{"the free slot is reserved for it", 1, "", []workqueue.HeldWork{{Priority: 700, Count: 2}}, workqueue.HeldWork{Priority: 1500, Count: 1}, 0},
		{"what runs takes all slots", 0, `{"voice": {"cost": 3}}`, []workqueue.HeldWork{{Priority: 700, Count: 1, Channel: "voice"}}, workqueue.HeldWork{Priority: 700, Count: 1}, 1},
		{"it needs more slots than are free", 0, `{"voice": {"cost": 3}}`, []workqueue.HeldWork{{Priority: 700, Count: 1}}, workqueue.HeldWork{Priority: 700, Count: 1, Channel: "voice"}, 1},
		{"its channel is full", 0, `{"chat": {"cost": 1, "max": 1}}`, []workqueue.HeldWork{{Priority: 700, Count: 1, Channel: "chat"}}, workqueue.HeldWork{Priority: 1500, Count: 1, Channel: "chat"}, 1},
		{"there is room for it", 0, "", []workqueue.HeldWork{{Priority: 700, Count: 2}}, workqueue.HeldWork{Priority: 700, Count: 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			held := []workqueue.HeldWork{c.waiting}
			held[0].Estimate = time.Minute
			for _, h := range c.running {
				h.Running, h.Estimate = true, time.Duration(h.Count)*time.Minute
				held = append(held, h)
			}
			m := &heldMemory{assignMemory: assignMemory{given: map[int64]int64{}}}
			m.loads = []workqueue.WorkerLoad{
				{WorkerID: busy, Capacity: 3, Reserved: c.reserved, Channels: c.channels, Held: held},
				{WorkerID: idle, Capacity: 3, Reserved: c.reserved, Channels: c.channels},
			}
			m.assigned = []workqueue.DueItem{{ID: 1, Priority: c.waiting.Priority, Pipeline: c.waiting.Channel, Estimate: time.Minute, Holder: busy}}
			profiles := func(pipeline string) workqueue.Profile { return workqueue.Profile{Channel: pipeline} }
			result, err := AssignPass(t.Context(), m, AssignParams{Profiles: profiles})
			if err != nil || result.Moved != c.moved {
				t.Errorf("%d moved, %v; want %d", result.Moved, err, c.moved)
			}
		})
	}
}
