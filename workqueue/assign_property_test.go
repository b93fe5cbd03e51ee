package workqueue

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// assignMemory is an assignment transaction in memory: enough of a store for
// AssignPass.
type assignMemory struct {
	Store
	LimitTx // not asked: no item has limits
	loads   []WorkerLoad
	items   []DueItem // by urgency
	given   map[int64]int64
	busy    map[int64]bool // cancelled meanwhile: Write does not change them
	twice   []int64
}

func (m *assignMemory) Assign(ctx context.Context, pass func(context.Context, AssignTx) error) error {
	return pass(ctx, m)
}

func (m *assignMemory) Expire(context.Context) (int, error) { return 0, nil }

func (m *assignMemory) Rescue(context.Context, RescueParams) (RescueResult, error) {
	return RescueResult{}, nil
}

func (m *assignMemory) WorkerLoads(context.Context, time.Duration, Band, time.Duration) ([]WorkerLoad, error) {
	return m.loads, nil
}

func (m *assignMemory) DueItems(_ context.Context, band Band, limit int) ([]DueItem, error) {
	var due []DueItem
	for _, it := range m.items {
		if _, gone := m.given[it.ID]; !gone && band.Contains(it.Priority) && len(due) < limit {
			due = append(due, it)
		}
	}
	return due, nil
}

func (m *assignMemory) Write(_ context.Context, assignments []Assignment) (int, error) {
	n := 0
	for _, a := range assignments {
		if _, there := m.given[a.ItemID]; there {
			m.twice = append(m.twice, a.ItemID)
		}
		if m.given[a.ItemID] = a.WorkerID; m.busy[a.ItemID] {
			m.given[a.ItemID] = 0
			continue
		}
		n++
	}
	return n, nil
}

func TestAssignPassProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &assignMemory{loads: drawLoads(t, true), given: map[int64]int64{}, busy: map[int64]bool{}}
		estimates := map[int64]time.Duration{}
		for i := range rapid.IntRange(0, 300).Draw(t, "items") {
			it := DueItem{ID: int64(i + 1), Priority: rapid.IntRange(-2, 2).Draw(t, "priority")}
			if rapid.Bool().Draw(t, "estimated") {
				it.Estimate = drawEstimate(t)
			}
			m.items = append(m.items, it)
			estimates[it.ID] = cmp.Or(it.Estimate, minute)
			m.busy[it.ID] = rapid.IntRange(0, 20).Draw(t, "cancelled") == 20
		}
		slices.SortStableFunc(m.items, func(a, b DueItem) int { return b.Priority - a.Priority })
		p := AssignParams{
			Band: Band{Min: -1, Max: 5}, Workers: AvailableWorkers, DefaultEstimate: minute,
			Horizon:      time.Duration(rapid.Int64Range(1, int64(5*time.Hour)).Draw(t, "horizon")),
			MaxPerWorker: rapid.IntRange(1, 120).Draw(t, "maxPerWorker"),
		}
		before := slices.Clone(m.loads)
		result, err := AssignPass(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.twice) > 0 {
			t.Fatalf("items %v were given twice", m.twice)
		}
		assigned, open := 0, false
		for _, l := range before {
			items, sum := l.HeldInBand, l.HeldDuration
			for id, worker := range m.given {
				if worker == l.WorkerID {
					assigned++
					items++
					sum += estimates[id]
				}
			}
			share := p.Horizon * time.Duration(l.Capacity)
			if items > l.HeldInBand && (items > p.MaxPerWorker || sum-10*minute >= share) {
				t.Fatalf("worker %d has %d items of %s, more than one beyond its share of %d and %s", l.WorkerID, items, sum, p.MaxPerWorker, share)
			}
			// What was cancelled meanwhile had been planned: its place stays empty.
			open = open || items < p.MaxPerWorker && sum < share
		}
		if assigned != result.Assigned {
			t.Fatalf("Assigned = %d, but %d were", result.Assigned, assigned)
		}
		left, cancelled := false, false
		for _, it := range m.items {
			worker, given := m.given[it.ID]
			cancelled = cancelled || given && worker == 0
			switch {
			case !p.Band.Contains(it.Priority):
				if given {
					t.Fatalf("item %d of priority %d is outside of the band", it.ID, it.Priority)
				}
			case !given:
				left = true
			case left:
				t.Fatalf("item %d of priority %d was assigned, a more urgent one was not (invariant 4)", it.ID, it.Priority)
			}
		}
		if left && open && !cancelled {
			t.Fatal("a worker has room and an item waits")
		}
	})
}
