package workqueue

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const minute = time.Minute

// spread gives items of these estimates, with the ids 1, 2, …, and returns the
// ids that each worker got.
func spread(pl *planner, estimates ...time.Duration) map[int64][]int64 {
	got := map[int64][]int64{}
	for i, estimate := range estimates {
		if a, ok := pl.give(int64(i+1), estimate, false); ok {
			got[a.WorkerID] = append(got[a.WorkerID], a.ItemID)
		}
	}
	return got
}

func TestPlanner(t *testing.T) {
	worker := func(id int64, capacity, held int, duration time.Duration) WorkerLoad {
		return WorkerLoad{WorkerID: id, Capacity: capacity, HeldInBand: held, HeldDuration: duration}
	}
	tests := []struct {
		name      string
		loads     []WorkerLoad
		params    AssignParams
		estimates []time.Duration
		want      map[int64][]int64
	}{
		{"nobody is there", nil, AssignParams{}, []time.Duration{minute}, map[int64][]int64{}},
		{"each to the least loaded, the lowest id among equals",
			[]WorkerLoad{worker(1, 1, 0, 0), worker(2, 1, 0, 0), worker(3, 1, 0, 0)}, AssignParams{Horizon: time.Hour},
			[]time.Duration{4 * minute, 3 * minute, minute, minute, minute, minute, 5 * minute},
			map[int64][]int64{1: {1}, 2: {2, 6}, 3: {3, 4, 5, 7}}},
		{"the share grows with the slots",
			[]WorkerLoad{worker(1, 1, 0, 0), worker(2, 3, 0, 0)}, AssignParams{Horizon: 2 * minute},
			slices.Repeat([]time.Duration{minute}, 12),
			map[int64][]int64{1: {1, 3}, 2: {2, 4, 5, 6, 7, 8}}},
		{"an item may go beyond the horizon, none is added then",
			[]WorkerLoad{worker(1, 1, 0, 0)}, AssignParams{Horizon: 2 * minute},
			[]time.Duration{minute, time.Hour, 1, 1}, map[int64][]int64{1: {1, 2}}},
		{"what a worker holds fills its horizon",
			[]WorkerLoad{worker(1, 1, 1, 2*minute), worker(2, 1, 1, 2*minute-1)},
			AssignParams{Horizon: 2 * minute, Workers: AvailableWorkers},
			[]time.Duration{minute, minute}, map[int64][]int64{2: {1}}},
		{"no more items than maxPerWorker",
			[]WorkerLoad{worker(1, 1, 2, 3), worker(2, 1, 3, 3)},
			AssignParams{Horizon: time.Hour, MaxPerWorker: 3, Workers: AvailableWorkers},
			[]time.Duration{1, 1}, map[int64][]int64{1: {1}}},
		{"idle workers hold nothing of the band or above",
			[]WorkerLoad{worker(1, 1, 1, minute), worker(2, 1, 0, 0)}, AssignParams{Horizon: time.Hour},
			[]time.Duration{minute, minute, minute}, map[int64][]int64{2: {1, 2, 3}}},
		{"centuries do not overflow into emptiness",
			[]WorkerLoad{worker(1, 2, 0, 0), worker(2, 1, 0, 0)}, AssignParams{Horizon: 100 * 365 * 24 * time.Hour},
			[]time.Duration{150 * 365 * 24 * time.Hour, 1, math.MaxInt64, minute, minute},
			map[int64][]int64{1: {1, 4, 5}, 2: {2, 3}}}, // 1 is at 150 of its 200 years
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := spread(newPlanner(test.loads, test.params.withDefaults()), test.estimates...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// drawLoads draws the workers of a pass, in the order of their ids.
func drawLoads(t *rapid.T, held bool) []WorkerLoad {
	loads := make([]WorkerLoad, rapid.IntRange(0, 6).Draw(t, "workers"))
	for i := range loads {
		loads[i] = WorkerLoad{WorkerID: int64(10 * (i + 1)), Capacity: rapid.IntRange(1, 4).Draw(t, "capacity")}
		if held {
			loads[i].HeldInBand = rapid.IntRange(0, 4).Draw(t, "held")
			loads[i].HeldDuration = time.Duration(loads[i].HeldInBand) * drawEstimate(t)
		}
	}
	return loads
}

func drawEstimate(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(1, int64(10*minute)).Draw(t, "estimate"))
}

func TestPlannerKeepsWithinTheShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := drawLoads(t, true)
		p := AssignParams{
			Horizon:      time.Duration(rapid.Int64Range(1, int64(20*minute)).Draw(t, "horizon")),
			MaxPerWorker: rapid.IntRange(1, 8).Draw(t, "maxPerWorker"),
			Workers:      rapid.SampledFrom([]Availability{IdleWorkers, AvailableWorkers}).Draw(t, "availability"),
		}
		estimates := make([]time.Duration, rapid.IntRange(0, 60).Draw(t, "items"))
		for i := range estimates {
			estimates[i] = drawEstimate(t)
		}
		got := spread(newPlanner(loads, p), estimates...)
		if again := spread(newPlanner(loads, p), estimates...); cmp.Diff(got, again) != "" {
			t.Fatalf("the same input gave %v, then %v", got, again)
		}
		given, room := 0, false
		for _, l := range loads {
			ids := got[l.WorkerID]
			given += len(ids)
			if len(ids) > 0 && p.Workers == IdleWorkers && l.HeldInBand > 0 {
				t.Fatalf("worker %d held %d and got %v", l.WorkerID, l.HeldInBand, ids)
			}
			sum := l.HeldDuration
			for i, id := range ids {
				if sum >= p.Horizon*time.Duration(l.Capacity) || l.HeldInBand+i >= p.MaxPerWorker {
					t.Fatalf("worker %d had its share, %s in %d items, and got item %d", l.WorkerID, sum, l.HeldInBand+i, id)
				}
				sum += estimates[id-1]
			}
			open := p.Workers == AvailableWorkers || l.HeldInBand == 0
			full := sum >= p.Horizon*time.Duration(l.Capacity) || l.HeldInBand+len(ids) >= p.MaxPerWorker
			room = room || open && !full
		}
		if room && given < len(estimates) {
			t.Fatalf("%d of %d items were given although a worker has room", given, len(estimates))
		}
		// Invariant 4: items come by priority, so those that were given are the
		// first ones; each once.
		all := slices.Sorted(func(yield func(int64) bool) {
			for _, ids := range got {
				for _, id := range ids {
					if !yield(id) {
						return
					}
				}
			}
		})
		for i, id := range all {
			if id != int64(i+1) {
				t.Fatalf("items %v were given, want the first %d of the list, each once", all, given)
			}
		}
	})
}

// List scheduling in any order (Graham 1966): the fullest of m workers gets at
// most sum/m + (1 − 1/m)·longest, so 2 − 1/m times what is needed at least,
// max(sum/m, longest). The 4/3 of the longest-first order is a bound against
// the best plan, not against this one: m + 1 equal items come to 2m/(m + 1).
func TestPlannerBalancesWithinGrahamsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "workers")
		loads := make([]WorkerLoad, m)
		for i := range loads {
			loads[i] = WorkerLoad{WorkerID: int64(i), Capacity: rapid.IntRange(1, 4).Draw(t, "capacity")}
		}
		estimates := make([]time.Duration, rapid.IntRange(1, 80).Draw(t, "items"))
		var sum, longest time.Duration
		for i := range estimates {
			estimates[i] = drawEstimate(t)
			sum += estimates[i]
			longest = max(longest, estimates[i])
		}
		got := spread(newPlanner(loads, AssignParams{Horizon: 1000 * time.Hour, MaxPerWorker: 1000, Workers: IdleWorkers}), estimates...)
		for worker, ids := range got {
			var load time.Duration
			for _, id := range ids {
				load += estimates[id-1]
			}
			// In whole numbers: m·load ≤ sum + (m − 1)·longest.
			if time.Duration(m)*load > sum+time.Duration(m-1)*longest {
				t.Fatalf("worker %d of %d got %s of %s, longest %s", worker, m, load, sum, longest)
			}
		}
	})
}

func TestPlannerRoomNeverStopsAnOpenPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := AssignParams{
			Horizon:      time.Duration(rapid.Int64Range(1, int64(20*minute)).Draw(t, "horizon")),
			MaxPerWorker: rapid.IntRange(1, 8).Draw(t, "maxPerWorker"),
			Workers:      AvailableWorkers,
		}
		pl := newPlanner(drawLoads(t, true), p)
		for !pl.done() {
			if room := pl.room(drawEstimate(t)); room < 1 {
				t.Fatalf("room = %d with %d open workers", room, len(pl.open))
			}
			pl.give(1, drawEstimate(t), false)
		}
		if room := pl.room(minute); room != 0 {
			t.Fatalf("room = %d with no open worker", room)
		}
	})
}

func ExampleAssignParams() {
	// Three slots of five minutes: a worker with two slots and one with one.
	pl := newPlanner([]WorkerLoad{{WorkerID: 1, Capacity: 2}, {WorkerID: 2, Capacity: 1}}, AssignParams{}.withDefaults())
	for id, estimate := range []time.Duration{4 * minute, 2 * minute, 3 * minute, 5 * minute, 6 * minute, minute} {
		if a, ok := pl.give(int64(id), estimate, false); ok {
			fmt.Printf("%s to worker %d\n", estimate, a.WorkerID)
		} else {
			fmt.Printf("%s waits\n", estimate)
		}
	}
	// Output:
	// 4m0s to worker 1
	// 2m0s to worker 2
	// 3m0s to worker 2
	// 5m0s to worker 1
	// 6m0s to worker 1
	// 1m0s waits
}
