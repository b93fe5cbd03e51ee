package runner_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/storetest"
)

// brokenProfile is Profiles of a process in which the pipeline "broken" has errors.
func brokenProfile(pipeline string) workqueue.Profile {
	if pipeline == "broken" {
		return workqueue.Profile{Broken: "broken.yaml:1:1: no steps"}
	}
	return workqueue.Profile{}
}

// Items of a broken pipeline are not assigned to any worker. Even many of them do not prevent the
// assignment of other items, both in a pass without the lock and in one for a queue with limits.
func TestAssignLeavesItemsOfBrokenPipelinesWaiting(t *testing.T) {
	for name, limits := range map[string]workqueue.QueueLimits{"without limits": {}, "with limits": {Concurrency: 100}} {
		t.Run(name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp", QueueLimits: limits}}, "test"); err != nil {
					t.Fatal(err)
				}
				ann := register(t, store, "ann", 4)
				broken := enqueue(t, store, 1200, workqueue.NewItem{QueueName: "erp", IntegrationConfig: "broken", Priority: 900})
				good := enqueue(t, store, 3, workqueue.NewItem{QueueName: "erp", IntegrationConfig: "good", Priority: 600})
				p := assign.AssignParams{Workers: assign.AvailableWorkers, Profiles: brokenProfile}
				if got := pass(t, store, p); got.Assigned != len(good) {
					t.Errorf("%d items assigned, want the %d of the good pipeline", got.Assigned, len(good))
				}
				if got := holders(t, store, good); !slices.Equal(got, []int64{ann.ID, ann.ID, ann.ID}) {
					t.Errorf("items of the good pipeline are held by %v, want %d", got, ann.ID)
				}
				if got := pass(t, store, p); got.Assigned != 0 || got.Left {
					t.Errorf("the second pass assigned %d items, items left: %v; want none and false", got.Assigned, got.Left)
				}
				p.Profiles = nil // the file is fixed
				if got := pass(t, store, p); got.Assigned == 0 || item(t, store, broken[0]).State != workqueue.Assigned {
					t.Errorf("with the fixed file, %d items were assigned, the first is %s", got.Assigned, item(t, store, broken[0]).State)
				}
			})
		})
	}
}

// registerBroken registers a worker with some broken pipelines.
func registerBroken(t *testing.T, store storetest.Store, name string, pipelines ...string) workqueue.Worker {
	t.Helper()
	w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
		Name: name, InstanceID: name + "-1", Host: "host", PID: 1, Capacity: 4, Lease: time.Hour,
		Labels: workqueue.JSONText(matching.Labels{}.WithBroken(pipelines).JSON()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A worker on which a pipeline is broken gets no items of it; another worker gets them.
func TestAssignSkipsWorkersWithBrokenPipeline(t *testing.T) {
	for _, mode := range []matching.Mode{matching.LeastLoaded, matching.LongestIdle, matching.RoundRobin, matching.BestWorker} {
		t.Run(string(mode), func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				registerBroken(t, store, "ann", "other", "Import")
				bob := register(t, store, "bob", 4)
				ids := enqueue(t, store, 4, workqueue.NewItem{IntegrationConfig: "Import", Priority: 600})
				d := matching.DefaultDistribution()
				d.Mode = mode
				pass(t, store, assign.AssignParams{Workers: assign.AvailableWorkers, Distribution: d})
				if got := holders(t, store, ids); slices.ContainsFunc(got, func(id int64) bool { return id != bob.ID && id != 0 }) || got[0] != bob.ID {
					t.Errorf("the items are held by %v, want only bob (%d)", got, bob.ID)
				}
			})
		})
	}
}

func TestAssignNothingIfPipelineIsBrokenOnAllWorkers(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		registerBroken(t, store, "ann", "Import")
		id := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "Import", Priority: 600})[0]
		p := assign.AssignParams{Workers: assign.AvailableWorkers}
		if got := pass(t, store, p); got.Assigned != 0 {
			t.Errorf("%d items assigned, want none", got.Assigned)
		}
		coming := assign.WhyParams{Pipelines: []assign.SystemPipeline{{
			Name: "Soon", Passes: []assign.AssignParams{p}, Next: func(after time.Time) time.Time { return after.Add(time.Second) },
		}}}
		r, err := assign.Why(t.Context(), store, id, coming)
		if err != nil || r.Kind != assign.WhyBroken || !strings.Contains(r.Text, "at every live worker") || !strings.Contains(r.Text, "ann") {
			t.Errorf("why = %+v, %v; want the broken pipeline on ann", r, err)
		}
		register(t, store, "bob", 1)
		if r, err = assign.Why(t.Context(), store, id, coming); err != nil || r.Kind != assign.WhyNextPass {
			t.Errorf("with bob, why = %+v, %v; want the next pass", r, err)
		}
		coming.Profiles = func(string) workqueue.Profile { return workqueue.Profile{Broken: "Import.yaml:3:4: no step"} }
		if r, err = assign.Why(t.Context(), store, id, coming); err != nil || r.Kind != assign.WhyBroken || !strings.Contains(r.Text, "Import.yaml:3:4: no step") {
			t.Errorf("with a broken file in this process, why = %+v, %v; want its finding", r, err)
		}
	})
}

// An item that was assigned before its pipeline was found broken is not moved: its worker
// releases it.
func TestAssignDoesNotMoveItemsOfBrokenPipelines(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		register(t, store, "ann", 1)
		ids := enqueue(t, store, 5, workqueue.NewItem{IntegrationConfig: "broken", Priority: 600, Estimate: time.Minute})
		pass(t, store, assign.AssignParams{})
		before := holders(t, store, ids)
		register(t, store, "bob", 1)
		pass(t, store, assign.AssignParams{Profiles: brokenProfile})
		if got := holders(t, store, ids); !slices.Equal(got, before) {
			t.Errorf("holders = %v, want %v as before", got, before)
		}
	})
}
