package runner_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/storetest"
)

// interceptStore calls a function between the read and the write of a pass.
type interceptStore struct {
	workqueue.AssignStore
	passes, surveys int
	before          func(n int) // called before the n-th write
}

func (s *interceptStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	s.surveys++
	return s.AssignStore.ReadUnlocked(ctx, read)
}

func (s *interceptStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	s.passes++
	if s.before != nil {
		s.before(s.passes)
	}
	return s.AssignStore.Assign(ctx, pass)
}

func (s *interceptStore) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	s.passes++
	if s.before != nil {
		s.before(s.passes)
	}
	return s.AssignStore.ClaimPass(ctx, passes, as, t)
}

// A pass whose plan is outdated plans again. If that happens repeatedly, it plans under the lock.
// No item is assigned twice.
func TestOutdatedPlanIsRepeated(t *testing.T) {
	for _, c := range []struct {
		name            string
		overtakes       int
		surveys, passes int
	}{
		{"never", 0, 1, 1},
		{"once", 1, 2, 2},
		{"always", 9, 3, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				register(t, store, "ann", 1)
				p := assign.AssignParams{Workers: assign.AvailableWorkers, MaxPerWorker: 100, DefaultEstimate: time.Second}
				ids := enqueue(t, store, 5, workqueue.NewItem{})
				s := &interceptStore{AssignStore: store}
				s.before = func(n int) {
					if n <= c.overtakes {
						ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{Priority: 2000})...)
						other := p
						other.Band = highBand
						pass(t, store, other)
					}
				}
				result, err := assign.AssignPass(t.Context(), s, p)
				if err != nil {
					t.Fatal(err)
				}
				if result.Assigned != 5 || s.surveys != c.surveys || s.passes != c.passes {
					t.Errorf("assigned %d with %d surveys and %d passes, want 5 with %d and %d", result.Assigned, s.surveys, s.passes, c.surveys, c.passes)
				}
				for _, id := range ids {
					wantItem(t, store, id, workqueue.Assigned, 0)
				}
			})
		})
	}
}

// A pass in an idle cluster takes no lock.
func TestPassWithoutItemsTakesNoLock(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		register(t, store, "ann", 1)
		s := &interceptStore{AssignStore: store}
		if _, err := assign.AssignPass(t.Context(), s, assign.AssignParams{}); err != nil || s.passes != 0 {
			t.Errorf("%d passes took the lock, %v, want none", s.passes, err)
		}
	})
}

// A new worker gets items that another worker has not started. That does not count as a release,
// and running items are not moved.
func TestNewWorkerGetsItsShare(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		ann := register(t, store, "ann", 1)
		ids := enqueue(t, store, 6, workqueue.NewItem{Estimate: time.Minute})
		pass(t, store, assign.AssignParams{Horizon: time.Hour})
		if _, err := store.Claim(t.Context(), workqueue.ClaimParams{
			WorkerID: ann.ID, InstanceID: ann.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Hour,
		}); err != nil {
			t.Fatal(err)
		}
		if got := pass(t, store, assign.AssignParams{Horizon: time.Hour}); got.Moved != 0 {
			t.Errorf("alone: %+v, want nothing moved", got)
		}
		bob := register(t, store, "bob", 1)
		got := pass(t, store, assign.AssignParams{Horizon: time.Hour})
		counts := map[int64]int{}
		for _, worker := range holders(t, store, ids) {
			counts[worker]++
		}
		if diff := cmp.Diff(map[int64]int{ann.ID: 3, bob.ID: 3}, counts); diff != "" || got.Moved != 3 || got.Assigned != 0 {
			t.Errorf("%+v, items by worker (-want +got):\n%s", got, diff)
		}
		for _, id := range ids {
			if it := item(t, store, id); it.ReleaseCount != 0 || it.RetryCount != 0 {
				t.Errorf("item %d: %d releases, %d failures, want none", id, it.ReleaseCount, it.RetryCount)
			}
		}
		if again := pass(t, store, assign.AssignParams{Horizon: time.Hour}); again.Moved != 0 {
			t.Errorf("again: %+v, want nothing moved", again)
		}
	})
}

// Round robin continues where the last pass ended, on whichever worker it ran.
func TestRoundRobinContinuesAcrossPasses(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		var workers []int64
		for _, name := range []string{"ann", "bob", "cid"} {
			workers = append(workers, register(t, store, name, 4).ID)
		}
		p := assign.AssignParams{Workers: assign.AvailableWorkers, Distribution: matching.Distribution{Mode: matching.RoundRobin}}
		var ids []int64
		for _, n := range []int{2, 2, 1} {
			ids = append(ids, enqueue(t, store, n, workqueue.NewItem{})...)
			pass(t, store, p)
		}
		want := []int64{workers[0], workers[1], workers[2], workers[0], workers[1]}
		if diff := cmp.Diff(want, holders(t, store, ids)); diff != "" {
			t.Errorf("holders (-want +got):\n%s", diff)
		}
	})
}

// A pass uses labels, selectors, the queues that a worker serves, and the queue's distribution.
func TestSelectorsFilter(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		spec := func(name string, labels workqueue.JSONText, queues ...string) int64 {
			w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
				Name: name, InstanceID: name, Host: "host", PID: 1, Capacity: 2, Labels: labels, Queues: queues, Lease: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			return w.ID
		}
		_, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp"}}, "test")
		if err != nil {
			t.Fatal(err)
		}
		plain, gpu := spec("ann", ""), spec("bob", `{"gpu":true,"ram":16}`, "default")
		selectors := func(texts ...string) []matching.Selector {
			var list []matching.Selector
			for _, text := range texts {
				s, err := matching.ParseSelector(text)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
			return list
		}
		var ids []int64
		for _, n := range []workqueue.NewItem{
			{Selectors: selectors("gpu = true")},
			{Selectors: selectors("gpu = true", "ram >= 32")},
			{Selectors: selectors("gpu != true")},
			{QueueName: "erp"},
			{QueueName: "erp", Selectors: selectors("gpu = true")},
			{Selectors: selectors(`Name = "bob"`)},
			{IntegrationConfig: "picky"},
		} {
			ids = append(ids, enqueue(t, store, 1, n)...)
		}
		p := assign.AssignParams{Workers: assign.AvailableWorkers, Profiles: func(pipeline string) workqueue.Profile {
			if pipeline == "picky" {
				return workqueue.Profile{Selectors: selectors("ram = 16")}
			}
			return workqueue.Profile{}
		}}
		pass(t, store, p)
		if diff := cmp.Diff([]int64{gpu, 0, plain, plain, 0, gpu, gpu}, holders(t, store, ids)); diff != "" {
			t.Errorf("holders (-want +got):\n%s", diff)
		}
		p.Distribution.BypassSelectors = new(true)
		pass(t, store, p)
		if got := holders(t, store, ids); slices.Contains(got, 0) || got[4] != plain {
			t.Errorf("holders with bypassSelectors: %v, want all items assigned, and those of the queue erp to %d, which serves it", got, plain)
		}
	})
}
