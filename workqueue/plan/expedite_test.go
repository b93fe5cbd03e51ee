package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// TestExpeditedItemsComeFirst checks that expedited items go before all others,
// regardless of priority.
func TestExpeditedItemsComeFirst(t *testing.T) {
	for _, mode := range modes {
		o := roomy()
		o.Horizon, o.High = 1, 1000 // only items that can start now
		p := plan.New(workers(1), nil, nil, o)
		items := some(4, p.Class(plan.Class{Mode: mode, Scores: []float64{1}}), minute)
		items[0].Priority, items[1].Priority, items[2].Priority, items[3].Priority = 2000, 700, 600, 500
		items[2].Expedite = true
		p.Sort(items, minute)
		if items[0].ID != 3 || items[1].ID != 1 {
			t.Errorf("%s: %d and %d are first, want 3 and 1", mode, items[0].ID, items[1].ID)
		}
		if diff := cmp.Diff([]int64{1, 0, 0, 0}, give(t, p, items)); diff != "" {
			t.Errorf("%s: who got the items (-want +got):\n%s", mode, diff)
		}
	}
}

// TestExpeditedItemWaitsOnlyForRunningItems: assigned items wait behind an expedited item
// and do not count for it; running items do.
func TestExpeditedItemWaitsOnlyForRunningItems(t *testing.T) {
	held := []plan.Held{
		{Worker: 1, Priority: 2000, Count: 60, Estimate: 60 * minute},
		{Worker: 2, Priority: 100, Running: true, Count: 1, Estimate: minute},
	}
	o := roomy()
	o.Horizon = 5 * minute
	p := plan.New(workers(1, 1), held, nil, o)
	items := some(2, p.Class(plan.Class{}), minute)
	items[0].Expedite = true
	items[1].Priority = 2000
	if diff := cmp.Diff([]int64{1, 2}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}

// TestExpeditedItemUsesNoReservedSlot checks that an expedited item uses no reserved slot
// unless it is high: the slot stays available for the next urgent items.
func TestExpeditedItemUsesNoReservedSlot(t *testing.T) {
	busy := []plan.Held{{Worker: 1, Priority: 700, Running: true, Count: 1, Estimate: minute}}
	o := roomy()
	o.Horizon, o.High = 1, 1000
	p := plan.New([]plan.Worker{{ID: 1, Slots: 2, Reserved: 1}}, busy, nil, o)
	items := some(4, p.Class(plan.Class{}), minute)
	for i, priority := range []int{600, 500, 2000, 600} {
		items[i].Priority, items[i].Expedite = priority, i < 2
	}
	if diff := cmp.Diff([]int64{0, 0, 1, 0}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}

// TestExpeditedItemDoesNotChangeOtherPlans checks that expedited items that cannot be
// assigned do not change the rest of the plan.
func TestExpeditedItemDoesNotChangeOtherPlans(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "workers")
		var list []plan.Worker
		for i := range n {
			list = append(list, plan.Worker{ID: int64(i + 1), Slots: rapid.IntRange(1, 3).Draw(t, "slots"), Reserved: rapid.IntRange(0, 1).Draw(t, "reserved")})
		}
		var held []plan.Held
		for range rapid.IntRange(0, 5).Draw(t, "held") {
			held = append(held, plan.Held{
				Worker: rapid.Int64Range(1, int64(n)).Draw(t, "worker"), Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
				Running: rapid.Bool().Draw(t, "running"), Count: 1, Estimate: rapid.Int64Range(1, 50).Draw(t, "estimate"),
			})
		}
		o := plan.Options{Now: 1_000_000, Horizon: rapid.Int64Range(1, 100).Draw(t, "horizon"), MaxPerWorker: 20, High: 1}
		o.Idle = rapid.Bool().Draw(t, "idle")
		mode := rapid.SampledFrom(modes).Draw(t, "mode")
		scores := make([]float64, n)
		items := make([]plan.Item, rapid.IntRange(0, 20).Draw(t, "items"))
		for i := range items {
			items[i] = plan.Item{ID: int64(i + 1), Priority: rapid.IntRange(0, 3).Draw(t, "priority"), Estimate: rapid.Int64Range(1, 60).Draw(t, "estimate")}
		}
		got := func(expedited int) []plan.Placement {
			p := plan.New(list, held, nil, o)
			p.Class(plan.Class{Mode: mode, Scores: scores})
			nobody := p.Class(plan.Class{Mode: mode, Scores: scores, Eligible: plan.NewSet(n)})
			all := append([]plan.Item{}, items...)
			for i := range expedited {
				all = append(all, plan.Item{ID: int64(100 + i), Priority: i % 4, Estimate: 1, Expedite: true, Class: nobody})
			}
			p.Sort(all, minute)
			for i := range all {
				p.Assign(&all[i])
			}
			placements, _ := p.Plan()
			return placements
		}
		if diff := cmp.Diff(got(0), got(5)); diff != "" {
			t.Fatalf("mode %s, %v: without and with expedited items:\n%s", matching.Mode(mode), o, diff)
		}
	})
}
