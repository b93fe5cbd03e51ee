package plan_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// slotModes are the modes that assign items only to free slots.
var slotModes = []matching.Mode{matching.RoundRobin, matching.LongestIdle, matching.BestWorker}

// TestNoSecondItemWhileAnotherWorkerHasFreeSlot assigns six items to one worker with
// three slots and three with one: each slot gets one item.
func TestNoSecondItemWhileAnotherWorkerHasFreeSlot(t *testing.T) {
	for _, mode := range slotModes {
		t.Run(string(mode), func(t *testing.T) {
			p := plan.New(workers(3, 1, 1, 1), nil, nil, roomy())
			got := give(t, p, some(7, p.Class(plan.Class{Mode: mode, Scores: []float64{9, 3, 2, 1}}), minute))
			if diff := cmp.Diff([]int64{1, 2, 3, 4, 1, 1, 0}, got); diff != "" {
				t.Errorf("who got the items (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneItemPerSlot assigns two items: the best worker, or the worker whose turn it is,
// has one slot and gets only one.
func TestOneItemPerSlot(t *testing.T) {
	for _, mode := range slotModes {
		p := plan.New(workers(1, 1), nil, nil, roomy())
		got := give(t, p, some(3, p.Class(plan.Class{Mode: mode, Scores: []float64{1, 2}}), 1))
		slices.Sort(got)
		if diff := cmp.Diff([]int64{0, 1, 2}, got); diff != "" {
			t.Errorf("%s: who got the items (-want +got):\n%s", mode, diff)
		}
	}
}

// TestOccupiedSlots checks that running and assigned items occupy slots in each mode,
// except less urgent assigned items, which wait behind the new item.
func TestOccupiedSlots(t *testing.T) {
	held := []plan.Held{
		{Worker: 1, Priority: 100, Running: true, Count: 2, Estimate: minute},
		{Worker: 2, Priority: 700, Count: 2, Estimate: minute},
		{Worker: 3, Priority: 100, Count: 9, Estimate: minute},
		{Worker: 4, Priority: 700, Running: true, Count: 1, Estimate: minute},
	}
	for _, mode := range slotModes {
		p := plan.New(workers(2, 2, 2, 2), held, nil, roomy())
		items := some(5, p.Class(plan.Class{Mode: mode, Scores: []float64{4, 3, 2, 5}}), minute)
		for i := range items {
			items[i].Priority = 700
		}
		// Worker 3 has no items that count, so it is first; then 4 has one free slot, and
		// 3 another one.
		if diff := cmp.Diff([]int64{3, 4, 3, 0, 0}, give(t, p, items)); diff != "" {
			t.Errorf("%s: who got the items (-want +got):\n%s", mode, diff)
		}
	}
}

// TestUnavailableSlots checks that items which are not high do not use reserved slots,
// and that an item of several slots needs that many free ones.
func TestUnavailableSlots(t *testing.T) {
	for _, mode := range slotModes {
		o := roomy()
		o.High = 1000
		wide := map[string]plan.Channel{"wide": {Cost: 2}}
		p := plan.New([]plan.Worker{{ID: 1, Slots: 4, Reserved: 1, Channels: wide}, {ID: 2, Slots: 3, Channels: wide}}, nil, nil, o)
		narrow := p.Class(plan.Class{Mode: mode, Scores: []float64{2, 1}})
		items := some(7, p.Class(plan.Class{Mode: mode, Channel: "wide", Scores: []float64{2, 1}}), minute)
		for i := range items {
			items[i].Priority = 1000 - i
		}
		items[0].Priority = 1001
		items[3].Class, items[4].Class, items[5].Class, items[6].Class = narrow, narrow, narrow, narrow
		// Two slots of worker 1, then two of worker 2. The third wide item does not find
		// two free slots. Each worker then has one slot for plain items.
		got := give(t, p, items)
		slices.Sort(got[3:])
		if diff := cmp.Diff([]int64{1, 2, 0, 0, 0, 1, 2}, got); diff != "" {
			t.Errorf("%s: who got the items (-want +got):\n%s", mode, diff)
		}
	}
}

// TestSlotModesProperties checks three rules: no worker gets more items than it has
// slots; no worker gets an item while it holds one and another eligible worker holds
// none, or with longest-idle uses a smaller part of its slots; and no item is left while an
// eligible worker has a free slot.
func TestSlotModesProperties(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "workers")
		var list []plan.Worker
		for i := range n {
			list = append(list, plan.Worker{ID: int64(i + 1), Slots: rapid.IntRange(1, 4).Draw(t, "slots"), AvailableSince: rapid.Int64Range(0, 3).Draw(t, "since")})
		}
		holds := make([]int, n)
		var held []plan.Held
		for range rapid.IntRange(0, 5).Draw(t, "held") {
			h := plan.Held{
				Worker: rapid.Int64Range(1, int64(n)).Draw(t, "worker"), Running: rapid.Bool().Draw(t, "running"), Count: rapid.IntRange(1, 3).Draw(t, "count"),
			}
			h.Estimate = int64(h.Count) * rapid.Int64Range(1, minute).Draw(t, "estimate")
			holds[h.Worker-1] += h.Count
			held = append(held, h)
		}
		o := roomy()
		o.Last = map[string]int64{"": rapid.Int64Range(0, int64(n)).Draw(t, "last")}
		p := plan.New(list, held, nil, o)
		mode := rapid.SampledFrom(slotModes).Draw(t, "mode")
		var eligible []plan.Set
		for range rapid.IntRange(1, 3).Draw(t, "classes") {
			set, scores := plan.NewSet(n), make([]float64, n)
			for i := range n {
				scores[i] = float64(rapid.IntRange(0, 3).Draw(t, "score"))
				if rapid.IntRange(0, 3).Draw(t, "eligible") > 0 {
					set.Add(i)
				}
			}
			eligible = append(eligible, set)
			p.Class(plan.Class{Mode: mode, Eligible: set, Scores: scores})
		}
		given := make([]int, n)
		for id := range rapid.IntRange(0, 20).Draw(t, "items") {
			it := plan.Item{ID: int64(id + 1), Estimate: rapid.Int64Range(1, 10*minute).Draw(t, "estimate"), Class: rapid.IntRange(0, len(eligible)-1).Draw(t, "class")}
			free := func(i int) bool { return eligible[it.Class].Has(i) && holds[i]+given[i] < list[i].Slots }
			some := slices.ContainsFunc(p.Workers(), func(w plan.Worker) bool { return free(int(w.ID) - 1) })
			if got := p.Assign(&it); got != some {
				t.Fatalf("item %d given: %v, want %v: holds %v, given %v", it.ID, got, some, holds, given)
			}
			placements, _ := p.Plan()
			if !some {
				continue
			}
			to := int(placements[0].Worker) - 1
			if !free(to) {
				t.Fatalf("item %d went to worker %d, which has no free slot for it: holds %v, given %v", it.ID, to+1, holds, given)
			}
			used := func(i int) float64 { return float64(holds[i]+given[i]) / float64(list[i].Slots) }
			for i := range n {
				if mode == matching.LongestIdle {
					if free(i) && used(i) < used(to) {
						t.Fatalf("item %d went to worker %d although %d uses a smaller part of its slots: holds %v, given %v", it.ID, to+1, i+1, holds, given)
					}
					continue
				}
				if free(i) && (given[i] == 0 && given[to] > 0 || holds[i]+given[i] == 0 && holds[to]+given[to] > 0) {
					t.Fatalf("item %d went to worker %d although %d has a free slot and less: holds %v, given %v", it.ID, to+1, i+1, holds, given)
				}
			}
			given[to]++
		}
	})
}

// TestOtherWorkersGetNoMoreItemsThanSlots: while one worker asks for items in advance,
// the others get only as many items as they have free slots.
func TestOtherWorkersGetNoMoreItemsThanSlots(t *testing.T) {
	o := roomy()
	o.Asks = 2
	held := []plan.Held{
		{Worker: 1, Priority: 100, Running: true, Count: 1, Estimate: minute}, {Worker: 2, Priority: 700, Running: true, Count: 2, Estimate: 2},
		{Worker: 3, Priority: 700, Running: true, Count: 1, Estimate: minute}, {Worker: 3, Priority: 700, Count: 1, Estimate: minute},
	}
	p := plan.New(workers(2, 2, 2), held, nil, o)
	items := some(5, p.Class(plan.Class{}), minute)
	for i := range items {
		items[i].Priority = 700
	}
	if diff := cmp.Diff([]int64{1, 2, 2, 2, 2}, give(t, p, items)); diff != "" {
		t.Errorf("who got the items (-want +got):\n%s", diff)
	}
}
