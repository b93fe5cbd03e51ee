package api_test

import (
	"reflect"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

func TestWorkerLoads(t *testing.T) {
	s := apitest.Start(t, nil)
	viewer := as(t, s, access.Viewer)
	type load struct {
		Worker                   string
		Slots, Running, Assigned int
		Expected, FreeIn         string
	}
	want := func(want ...load) {
		t.Helper()
		got := apitest.Decode[struct{ Workers []load }](t, viewer.get("/stats/workers").Want(t, 200)).Workers
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	want([]load{}...)
	registerWorker(t, s, "bob")
	ann := registerWorker(t, s, "ann")
	want(load{"ann", 2, 0, 0, "0s", "0s"}, load{"bob", 2, 0, 0, "0s", "0s"})
	items := make([]workqueue.NewItem, 6)
	for i := range items {
		items[i] = workqueue.NewItem{IntegrationConfig: "hello", State: workqueue.Pending, Priority: 100 * i, Estimate: 30_000_000_000}
	}
	if _, err := s.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	if _, err := assign.AssignPass(t.Context(), s.Store, assign.AssignParams{}); err != nil {
		t.Fatal(err)
	}
	want(load{"ann", 2, 0, 3, "1m30s", "45s"}, load{"bob", 2, 0, 3, "1m30s", "45s"})
	claim := workqueue.ClaimParams{WorkerID: ann.ID, InstanceID: ann.InstanceID, Band: workqueue.EveryPriority, Max: 1, Begin: 1, Lease: time.Hour}
	if claimed, err := s.Store.Claim(t.Context(), claim); err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, %v", claimed, err)
	}
	got := apitest.Decode[struct{ Workers []load }](t, viewer.get("/stats/workers").Want(t, 200)).Workers
	if len(got) != 2 || got[0].Running != 1 || got[0].Assigned != 2 || got[1].Running != 0 {
		t.Errorf("got %+v, want one that runs and two that wait for ann", got)
	}
}
