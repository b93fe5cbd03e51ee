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

// selectors parses selectors.
func selectors(t *testing.T, texts ...string) []matching.Selector {
	t.Helper()
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

// claimItems claims the items that are assigned to a worker.
func claimItems(t *testing.T, store storetest.Store, w workqueue.Worker, most int) []workqueue.Item {
	t.Helper()
	items, err := store.Claim(t.Context(), workqueue.ClaimParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: most, Lease: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// In the modes that fill slots, no worker gets a second item while another worker without an item
// has a free slot, and no worker gets more items than it has slots. Items are added and end
// between the passes.
func TestModesThatFillSlots(t *testing.T) {
	for _, mode := range []matching.Mode{matching.RoundRobin, matching.LongestIdle, matching.BestWorker} {
		t.Run(string(mode), func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				large, small := register(t, store, "large", 3), register(t, store, "small", 1)
				p := assign.AssignParams{Distribution: matching.Distribution{Mode: mode}}
				if mode == matching.BestWorker {
					p.NewRule = func(matching.Scoring) (matching.Rule, error) { return scoresByName{"large": 1}, nil }
				}
				counts := func(ids []int64) map[int64]int {
					n := map[int64]int{}
					for _, worker := range holders(t, store, ids) {
						n[worker]++
					}
					return n
				}
				ids := enqueue(t, store, 1, workqueue.NewItem{})
				pass(t, store, p)
				claimItems(t, store, large, 1)
				ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
				pass(t, store, p)
				if diff := cmp.Diff(map[int64]int{large.ID: 1, small.ID: 1}, counts(ids)); diff != "" {
					t.Errorf("two items, one after the other, by worker (-want +got):\n%s", diff)
				}
				ids = append(ids, enqueue(t, store, 5, workqueue.NewItem{})...)
				for range 2 {
					pass(t, store, p)
					if diff := cmp.Diff(map[int64]int{large.ID: 3, small.ID: 1, 0: 3}, counts(ids)); diff != "" {
						t.Errorf("seven items by worker (-want +got):\n%s", diff)
					}
				}
			})
		})
	}
}

// Items that no worker can run do not prevent the assignment of a later item of the same queue
// for which a slot is free, no matter how many there are.
func TestUnassignableItemsDoNotHideOthers(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		w := register(t, store, "ann", 1)
		enqueue(t, store, 1200, workqueue.NewItem{Priority: 900, Selectors: selectors(t, "gpu = true")})
		plain := enqueue(t, store, 1, workqueue.NewItem{Priority: 700})
		pass(t, store, assign.AssignParams{})
		if got := holders(t, store, plain); !slices.Equal(got, []int64{w.ID}) {
			t.Errorf("the plain item is held by %v, want %d", got, w.ID)
		}
	})
}

// scoresByName scores workers by their names.
type scoresByName map[string]float64

func (s scoresByName) Scores(_ context.Context, _ matching.Job, workers []matching.Labels) ([]float64, error) {
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = s[labels["Name"].String()]
	}
	return scores, nil
}

// Selectors of the pipeline and of the item are combined, unless the pipeline replaces them.
func TestSelectorsOfPipelineAndItemAreCombined(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		labelled := func(name string, labels workqueue.JSONText) int64 {
			w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
				Name: name, InstanceID: name, Host: "host", PID: 1, Capacity: 9, Labels: labels, Lease: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			return w.ID
		}
		labelled("ann", `{"gpu":false}`)
		small, large := labelled("bob", `{"gpu":true,"ram":16}`), labelled("cid", `{"gpu":true,"ram":64}`)
		var ids []int64
		for _, n := range []workqueue.NewItem{
			{IntegrationConfig: "render", Selectors: selectors(t, "gpu = false")},
			{IntegrationConfig: "render", Selectors: selectors(t, "ram >= 32")},
			{IntegrationConfig: "render", Selectors: selectors(t, "ram < 32")},
			{IntegrationConfig: "default", Selectors: selectors(t, "ram < 32")},
			{IntegrationConfig: "default", Selectors: selectors(t, "gpu = false")},
			{IntegrationConfig: "default", Selectors: selectors(t, "ram = 1")},
		} {
			ids = append(ids, enqueue(t, store, 1, n)...)
		}
		profile := workqueue.Profile{Selectors: selectors(t, "gpu = true")}
		pass(t, store, assign.AssignParams{Profiles: func(pipeline string) workqueue.Profile {
			p := profile
			p.SelectorsReplace = pipeline == "default"
			return p
		}})
		if diff := cmp.Diff([]int64{0, large, small, small, 1, 0}, holders(t, store, ids)); diff != "" {
			t.Errorf("holders (-want +got):\n%s", diff)
		}
	})
}

// An expedited item is assigned before thousands of more urgent items while its selector is valid.
// An item with an expired selector is assigned by its priority.
func TestExpeditedItemIsAssignedFirst(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		w := register(t, store, "ann", 1)
		enqueue(t, store, 1100, workqueue.NewItem{Priority: 2000, Estimate: time.Second})
		expedite := func(expires time.Duration) []matching.Selector {
			return []matching.Selector{{Key: "Name", Operator: matching.Equal, Value: matching.Text("ann"), ExpiresAfter: expires, Expedite: true}}
		}
		late := enqueue(t, store, 1, workqueue.NewItem{Priority: 600, Selectors: expedite(time.Millisecond)})
		ids := enqueue(t, store, 1, workqueue.NewItem{Priority: 600, Selectors: expedite(0)})
		nobody := append(expedite(0), selectors(t, "gpu = true")...)
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{Priority: 3000, Selectors: nobody})...)
		p := assign.AssignParams{MaxPerWorker: 1}
		if got := pass(t, store, p); got.Assigned != 1 {
			t.Errorf("%+v, want one item assigned", got)
		}
		if got := holders(t, store, append(ids, late...)); !slices.Equal(got, []int64{w.ID, 0, 0}) {
			t.Errorf("holders of the expedited items = %v, want %d for the first, and none for the others", got, w.ID)
		}
	})
}
