package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

var (
	highBand   = workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}
	urgentBand = workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max} // medium and high
	lowBand    = workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}
)

// onEngines runs a test with an empty store of every available engine.
func onEngines(t *testing.T, test func(t *testing.T, store storetest.Store)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) { test(t, e.Open(t, e.DSN(t))) })
}

func register(t *testing.T, store storetest.Store, name string, capacity int) workqueue.Worker {
	t.Helper()
	w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
		Name: name, InstanceID: name + "-1", Host: "host", PID: 1, Capacity: capacity, Lease: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func pass(t *testing.T, store workqueue.AssignStore, p assign.AssignParams) assign.AssignResult {
	t.Helper()
	result, err := assign.AssignPass(t.Context(), store, p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// holders returns the worker of each item; 0 for none.
func holders(t *testing.T, store storetest.Store, ids []int64) []int64 {
	t.Helper()
	got := make([]int64, len(ids))
	for i, id := range ids {
		if it := item(t, store, id); it.WorkerID != nil {
			got[i] = *it.WorkerID
		}
	}
	return got
}

func TestAssignIdleAndAvailableWorkers(t *testing.T) {
	tests := []struct {
		name    string
		holds   []int // priorities of the items that the worker already holds
		running bool  // it has started them
		band    workqueue.Band
		idle    int // items of the pass's band that it gets, of 1
		avail   int
	}{
		{"nothing held", nil, false, urgentBand, 1, 1},
		{"full of low items, pass for urgent items", []int{0, 100, 499}, false, urgentBand, 0, 1},
		{"running a low item, pass for urgent items", []int{499}, true, urgentBand, 0, 1},
		{"an item at the band's lower end", []int{500}, false, urgentBand, 0, 1},
		{"an item of the band runs", []int{500}, true, urgentBand, 0, 1},
		{"medium item held, pass for high items", []int{1000}, false, highBand, 0, 1},
		{"high item held, pass for low items", []int{1001}, false, lowBand, 0, 1},
		{"low item held, pass for low items", []int{3}, false, lowBand, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				w := register(t, store, "ann", 2)
				for _, priority := range test.holds {
					enqueue(t, store, 1, workqueue.NewItem{Priority: priority})
				}
				if got := pass(t, store, assign.AssignParams{}); got.Assigned != len(test.holds) {
					t.Fatalf("set-up: %+v", got)
				}
				if test.running {
					_, err := store.Claim(t.Context(), workqueue.ClaimParams{
						WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 10, Lease: time.Hour,
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				priority := test.band.Max
				if test.band != lowBand {
					priority = max(test.band.Min, 500)
				}
				enqueue(t, store, 1, workqueue.NewItem{Priority: priority})
				for _, mode := range []struct {
					workers assign.Availability
					want    int
				}{{assign.IdleWorkers, test.idle}, {assign.AvailableWorkers, test.avail - test.idle}} {
					got := pass(t, store, assign.AssignParams{Band: test.band, Workers: mode.workers})
					if got.Assigned != mode.want {
						t.Errorf("%s: %d assigned, want %d", mode.workers, got.Assigned, mode.want)
					}
				}
			})
		})
	}
}

func TestAssignUrgentItemsToWorkerFullOfLowItems(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		register(t, store, "ann", 1)
		enqueue(t, store, 100, workqueue.NewItem{Priority: 10, Estimate: time.Minute})
		low := assign.AssignParams{Band: lowBand, Workers: assign.AvailableWorkers}
		if got := pass(t, store, low); got.Assigned != 5 { // the default horizon: 5 min
			t.Fatalf("%d low items assigned, want one horizon of 5", got.Assigned)
		}
		if got := pass(t, store, low); got.Assigned != 0 || got.Workers != 0 {
			t.Fatalf("a full worker got more of the same: %+v", got)
		}
		enqueue(t, store, 1, workqueue.NewItem{Priority: 500})
		for _, c := range []struct {
			workers assign.Availability
			want    int // workers that are open to the band from 500, and items that they get
		}{{assign.IdleWorkers, 0}, {assign.AvailableWorkers, 1}} {
			if got := pass(t, store, assign.AssignParams{Band: urgentBand, Workers: c.workers}); got.Assigned != c.want || got.Workers != c.want {
				t.Errorf("%s: %+v, want %d worker and item", c.workers, got, c.want)
			}
		}
	})
}

func TestAssignBandBoundaries(t *testing.T) {
	priorities := []int{499, 500, 1000, 1001}
	for _, test := range []struct {
		band workqueue.Band
		want []bool
	}{
		{highBand, []bool{false, false, false, true}},
		{urgentBand, []bool{false, true, true, true}},
		{lowBand, []bool{true, false, false, false}},
		{workqueue.Band{}, []bool{true, true, true, true}},
	} {
		t.Run(test.band.String(), func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				register(t, store, "ann", 1)
				for i, priority := range priorities {
					id := enqueue(t, store, 1, workqueue.NewItem{Priority: priority})[0]
					pass(t, store, assign.AssignParams{Band: test.band, Workers: assign.AvailableWorkers})
					if got := item(t, store, id).State == workqueue.Assigned; got != test.want[i] {
						t.Errorf("priority %d assigned: %v, want %v", priority, got, test.want[i])
					}
				}
			})
		})
	}
}

func TestAssignMostUrgentFirst(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		register(t, store, "ann", 1)
		soon := time.Now().Add(time.Hour)
		last := enqueue(t, store, 1, workqueue.NewItem{Priority: 5})[0]
		fourth := enqueue(t, store, 1, workqueue.NewItem{Priority: 7})[0]
		third := enqueue(t, store, 1, workqueue.NewItem{Priority: 7, Deadline: soon.Add(time.Hour)})[0]
		second := enqueue(t, store, 1, workqueue.NewItem{Priority: 7, Deadline: soon, State: workqueue.Pending})[0]
		first := enqueue(t, store, 1, workqueue.NewItem{Priority: 8})[0]
		notDue := enqueue(t, store, 1, workqueue.NewItem{Priority: 9, In: time.Hour})[0]
		for n, id := range []int64{first, second, third, fourth, last} {
			got := pass(t, store, assign.AssignParams{Workers: assign.AvailableWorkers, MaxPerWorker: n + 1})
			if it := item(t, store, id); got.Assigned != 1 || it.State != workqueue.Assigned {
				t.Errorf("pass %d: %d assigned, and item %d (priority %d, deadline %v) is %v", n+1, got.Assigned, id, it.Priority, it.DeadlineAt, it.State)
			}
		}
		wantItem(t, store, notDue, workqueue.Ready, 0)
	})
}

func TestAssignFreesAndAssignsInOnePass(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		ann := register(t, store, "ann", 1)
		ids := enqueue(t, store, 2, workqueue.NewItem{})
		pass(t, store, assign.AssignParams{})
		claimed, err := store.Claim(t.Context(), workqueue.ClaimParams{
			WorkerID: ann.ID, InstanceID: ann.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Hour,
		})
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		// A new process takes over the name, which ends the lease of the running item.
		// Then it drains, which frees the assigned item.
		if _, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
			Name: "ann", InstanceID: "ann-2", Host: "host", PID: 2, Capacity: 1, Lease: time.Hour, Replaces: ann.InstanceID,
		}); err != nil {
			t.Fatal(err)
		}
		if err := store.DrainWorker(t.Context(), "ann", ""); err != nil {
			t.Fatal(err)
		}
		bob := register(t, store, "bob", 1)
		want := assign.AssignResult{RescueResult: workqueue.RescueResult{Rescued: 1, Released: 1, Band: workqueue.Band{}}, Workers: 1, Assigned: 2}
		if diff := cmp.Diff(want, pass(t, store, assign.AssignParams{})); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if diff := cmp.Diff([]int64{bob.ID, bob.ID}, holders(t, store, ids)); diff != "" {
			t.Errorf("holders: -want +got\n%s", diff)
		}
	})
}

func TestAssignCancelsPoison(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: workqueue.DefaultQueue, MaxReleases: 2}}, "test"); err != nil {
			t.Fatal(err)
		}
		id := enqueue(t, store, 1, workqueue.NewItem{})[0]
		var poisoned, rescued int
		for n := 1; n <= 3; n++ {
			w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
				Name: "ann", InstanceID: fmt.Sprint("ann-", n), Host: "host", PID: n, Capacity: 1, Lease: time.Hour,
				Replaces: fmt.Sprint("ann-", n-1),
			})
			if err != nil {
				t.Fatal(err)
			}
			got := pass(t, store, assign.AssignParams{})
			poisoned, rescued = poisoned+got.Poisoned, rescued+got.Rescued
			claimed, err := store.Claim(t.Context(), workqueue.ClaimParams{
				WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range claimed {
				refused, err := store.Begin(t.Context(), workqueue.BeginParams{
					WorkerID: w.ID, InstanceID: w.InstanceID, Items: []workqueue.ItemRef{{ItemID: it.ID, Fence: it.Fence}},
				})
				if err != nil || len(refused) > 0 {
					t.Fatalf("Begin refused %v, %v", refused, err)
				}
			}
		}
		it := wantItem(t, store, id, workqueue.Cancelled, 0)
		if poisoned != 1 || rescued != 2 || it.ReleaseCount != 2 || it.ErrorKind == nil || *it.ErrorKind != workqueue.KindPoison {
			t.Errorf("%d rescued, %d poisoned, %d releases, kind %v, want poison after the second death", rescued, poisoned, it.ReleaseCount, it.ErrorKind)
		}
	})
}

func TestAssignReadsAllPages(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 128, 200, 5001} {
		t.Run(fmt.Sprint(n, " items"), func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				register(t, store, "ann", 1)
				register(t, store, "bob", 1)
				enqueue(t, store, n, workqueue.NewItem{Estimate: time.Millisecond})
				if got := pass(t, store, assign.AssignParams{MaxPerWorker: 10_000}); got.Assigned != n {
					t.Errorf("%d assigned, want %d", got.Assigned, n)
				}
				loads := map[string]int{}
				for _, name := range []string{"ann", "bob"} {
					items, err := store.Items(t.Context(), workqueue.ItemFilter{
						States: []workqueue.State{workqueue.Assigned}, Worker: name, Limit: n + 1,
					})
					if err != nil {
						t.Fatal(err)
					}
					loads[name] = len(items)
				}
				if want := map[string]int{"ann": (n + 1) / 2, "bob": n / 2}; cmp.Diff(want, loads) != "" {
					t.Errorf("loads %v, want %v", loads, want)
				}
			})
		})
	}
}

func TestAssignBalancesByEstimate(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		ann, bob := register(t, store, "ann", 1).ID, register(t, store, "bob", 1).ID
		var ids []int64
		for i, it := range []workqueue.NewItem{
			{IntegrationConfig: "slow"},                             // 40 s by Estimate: ann
			{IntegrationConfig: "unknown"},                          // 10 s by default: bob
			{IntegrationConfig: "slow", Estimate: 15 * time.Second}, // its own estimate: bob, 25 s
			{IntegrationConfig: "unknown"},                          // bob, 35 s
			{IntegrationConfig: "unknown"},                          // bob, 45 s
			{IntegrationConfig: "unknown"},                          // ann, 50 s
			{IntegrationConfig: "slow", Estimate: time.Minute},      // bob
		} {
			it.Priority = 100 - i
			ids = append(ids, enqueue(t, store, 1, it)...)
		}
		pass(t, store, assign.AssignParams{
			DefaultEstimate: 10 * time.Second,
			Profiles: func(pipeline string) workqueue.Profile {
				if pipeline == "slow" {
					return workqueue.Profile{Estimate: 40 * time.Second}
				}
				return workqueue.Profile{}
			},
		})
		if diff := cmp.Diff([]int64{ann, bob, bob, bob, bob, ann, bob}, holders(t, store, ids)); diff != "" {
			t.Errorf("holders: -want +got\n%s", diff)
		}
	})
}

func TestAssignFillsHorizon(t *testing.T) {
	for _, test := range []struct {
		name   string
		params assign.AssignParams
		want   int
	}{
		{"defaults: 10 s in 5 min", assign.AssignParams{}, 30},
		{"default estimate", assign.AssignParams{DefaultEstimate: time.Minute}, 5},
		{"horizon", assign.AssignParams{Horizon: time.Minute}, 6},
		{"estimate", assign.AssignParams{Profiles: func(string) workqueue.Profile { return workqueue.Profile{Estimate: 2 * time.Minute} }}, 3},
		{"maximum per worker", assign.AssignParams{MaxPerWorker: 4}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				register(t, store, "ann", 1)
				enqueue(t, store, 40, workqueue.NewItem{})
				if got := pass(t, store, test.params); got.Assigned != test.want {
					t.Errorf("%d assigned, want %d", got.Assigned, test.want)
				}
			})
		})
	}
}

func TestAssignRejectsInvalidParameters(t *testing.T) {
	for want, p := range map[string]assign.AssignParams{
		"workerSeenWithin":           {SeenWithin: -1},
		"assignedFor":                {AssignedFor: -1},
		"horizon":                    {Horizon: -1},
		"maxPerWorker":               {MaxPerWorker: -1},
		"defaultEstimate":            {DefaultEstimate: -1},
		`workers "busy"`:             {Workers: "busy"},
		"no priority lies between 5": {Band: workqueue.Band{Min: 5, Max: 4}},
	} {
		// No store: a pass with invalid parameters makes no calls.
		if _, err := assign.AssignPass(context.Background(), nil, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", p, err, want)
		}
	}
}
