package assign

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"

	"pgregory.net/rapid"
)

// assignMemory is an assignment transaction in memory: enough of a store for
// AssignPass.
type assignMemory struct {
	workqueue.AssignStore
	workqueue.LimitTx // not asked: no item has limits
	loads             []workqueue.WorkerLoad
	items             []workqueue.DueItem // by urgency
	given             map[int64]int64
	busy              map[int64]bool // cancelled meanwhile: Write does not change them
	twice             []int64
	passes            int64
}

const minute = time.Minute

// drawLoads draws the workers of a pass, in the order of their ids.
func drawLoads(t *rapid.T, held bool) []workqueue.WorkerLoad {
	loads := make([]workqueue.WorkerLoad, rapid.IntRange(0, 6).Draw(t, "workers"))
	for i := range loads {
		loads[i] = workqueue.WorkerLoad{WorkerID: int64(10 * (i + 1)), Capacity: rapid.IntRange(1, 4).Draw(t, "capacity")}
		for range rapid.IntRange(0, 3).Draw(t, "groups") {
			if held {
				count := rapid.IntRange(1, 3).Draw(t, "count")
				loads[i].Held = append(loads[i].Held, workqueue.HeldWork{
					Priority: rapid.IntRange(-1, 2).Draw(t, "priority"), Running: rapid.Bool().Draw(t, "running"),
					Count: count, Estimate: time.Duration(count) * drawEstimate(t),
				})
			}
		}
	}
	return loads
}

func drawEstimate(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(1, 600_000).Draw(t, "estimate")) * time.Millisecond
}

func (m *assignMemory) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

func (m *assignMemory) ReadPass(ctx context.Context, _ workqueue.PassQuery) (workqueue.PassInput, error) {
	marks, err := m.PassState(ctx)
	return workqueue.PassInput{PassState: marks, Loads: m.loads}, err
}

func (m *assignMemory) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, m, passes, assignments, t)
}

func (m *assignMemory) PassState(context.Context) (workqueue.PassState, error) {
	return workqueue.PassState{Passes: m.passes}, nil
}

func (m *assignMemory) RecordPass(_ context.Context, marks workqueue.PassState) error {
	m.passes++
	return nil
}

func (m *assignMemory) NeedsSweep(context.Context, time.Duration) (bool, error) { return false, nil }

func (m *assignMemory) AssignedItems(context.Context, workqueue.Band, int) ([]workqueue.DueItem, error) {
	return nil, nil
}

func (m *assignMemory) HeldItems(context.Context, int) ([]workqueue.HeldItem, error) { return nil, nil }

func (m *assignMemory) LimitUses(context.Context) ([]workqueue.LimitUse, error) { return nil, nil }

func (m *assignMemory) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, m)
}

func (m *assignMemory) ApplyPolicies(context.Context) (workqueue.AppliedPolicies, error) {
	return workqueue.AppliedPolicies{}, nil
}
func (m *assignMemory) Expire(context.Context) (int, error) { return 0, nil }

func (m *assignMemory) Rescue(context.Context, time.Duration) (workqueue.RescueResult, error) {
	return workqueue.RescueResult{}, nil
}

func (m *assignMemory) DueItems(_ context.Context, band workqueue.Band, _ workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	var due []workqueue.DueItem
	for _, it := range m.items {
		if _, gone := m.given[it.ID]; !gone && band.Contains(it.Priority) && len(due) < limit {
			due = append(due, it)
		}
	}
	return due, nil
}

func (m *assignMemory) DueOfQueue(ctx context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due, err := m.DueItems(ctx, band, full, len(m.items))
	due = slices.DeleteFunc(due, func(it workqueue.DueItem) bool { return it.QueueName != queue })
	return due[:min(limit, len(due))], err
}

func (m *assignMemory) AssignAndClaim(ctx context.Context, assignments []workqueue.Assignment, _ workqueue.PassClaim) ([]workqueue.Item, error) {
	_, err := m.Write(ctx, assignments)
	var items []workqueue.Item
	for _, a := range assignments {
		if m.given[a.ItemID] != 0 {
			items = append(items, workqueue.Item{ID: a.ItemID})
		}
	}
	return items, err
}

func (m *assignMemory) Write(_ context.Context, assignments []workqueue.Assignment) (int, error) {
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
	testgroup.Check(t, 25, func(t *rapid.T) {
		m := &assignMemory{loads: drawLoads(t, true), given: map[int64]int64{}, busy: map[int64]bool{}}
		estimates := map[int64]time.Duration{}
		for i := range rapid.IntRange(0, 300).Draw(t, "items") {
			it := workqueue.DueItem{ID: int64(i + 1), Priority: rapid.IntRange(-2, 2).Draw(t, "priority")}
			if rapid.Bool().Draw(t, "estimated") {
				it.Estimate = drawEstimate(t)
			}
			m.items = append(m.items, it)
			estimates[it.ID] = cmp.Or(it.Estimate, minute)
			m.busy[it.ID] = rapid.IntRange(0, 20).Draw(t, "cancelled") == 20
		}
		slices.SortStableFunc(m.items, func(a, b workqueue.DueItem) int { return b.Priority - a.Priority })
		p := AssignParams{
			Band: workqueue.Band{Min: -1, Max: 5}, Workers: AvailableWorkers, DefaultEstimate: minute,
			Horizon:      time.Duration(rapid.Int64Range(1, 5*3_600_000).Draw(t, "horizon")) * time.Millisecond,
			MaxPerWorker: rapid.IntRange(1, 120).Draw(t, "maxPerWorker"),
		}
		result, err := AssignPass(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.twice) > 0 {
			t.Fatalf("items %v were given twice", m.twice)
		}
		assigned := 0
		// work is what a worker has at a priority and above, as far as it counts
		// for its share: a longer item takes up one slot's horizon.
		type load struct {
			items           int
			share, greatest time.Duration
		}
		work := func(l workqueue.WorkerLoad, priority int) (sum load) {
			for _, h := range l.Held {
				if h.Priority >= priority {
					sum.items += h.Count
					sum.share += min(h.Estimate, p.Horizon*time.Duration(h.Count))
				}
			}
			for _, it := range m.items {
				if m.given[it.ID] == l.WorkerID && it.Priority >= priority {
					part := min(estimates[it.ID], p.Horizon)
					sum.items++
					sum.share += part
					sum.greatest = max(sum.greatest, part)
				}
			}
			return sum
		}
		room := func(priority int) bool {
			return slices.ContainsFunc(m.loads, func(l workqueue.WorkerLoad) bool {
				has := work(l, priority)
				return has.items < p.MaxPerWorker && has.share < p.Horizon*time.Duration(l.Capacity)
			})
		}
		for _, l := range m.loads {
			least, given := 0, 0
			for _, it := range m.items {
				if m.given[it.ID] == l.WorkerID {
					least = it.Priority // they come by priority
					given++
				}
			}
			assigned += given
			if has := work(l, least); given > 0 && (has.items > p.MaxPerWorker || has.share-has.greatest >= p.Horizon*time.Duration(l.Capacity)) {
				t.Fatalf("worker %d has %d items of %s, more than one beyond its share of %d and %s", l.WorkerID, has.items, has.share, p.MaxPerWorker, p.Horizon)
			}
		}
		if assigned != result.Assigned {
			t.Fatalf("Assigned = %d, but %d were", result.Assigned, assigned)
		}
		cancelled, waiting := false, map[int]bool{}
		for _, it := range m.items {
			worker, given := m.given[it.ID]
			cancelled = cancelled || given && worker == 0
			switch {
			case !p.Band.Contains(it.Priority):
				if given {
					t.Fatalf("item %d of priority %d is outside of the band", it.ID, it.Priority)
				}
			case !given:
				waiting[it.Priority] = true
			}
		}
		// What was cancelled meanwhile had been planned: its place stays empty. Who
		// has room for an item has it for a more urgent one (invariant 4).
		for priority := range waiting {
			if room(priority) && !cancelled {
				t.Fatalf("an item of priority %d waits and a worker has room for it", priority)
			}
		}
	})
}
