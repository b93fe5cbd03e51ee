//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// enqueueHolds adds items of the pipeline hold in one call, so that one pass
// assigns them all, and returns what lets each end.
func (x *project) enqueueHolds(n int) (ids []int64, letGo func(id int64)) {
	x.Helper()
	dir := x.TempDir()
	var items []workqueue.NewItem
	until := func(i int) string { return filepath.Join(dir, fmt.Sprintf("go-%d", i)) }
	for i := range n {
		items = append(items, workqueue.NewItem{
			IntegrationConfig: "hold", Priority: 1000 - i, Payload: workqueue.JSONText(fmt.Sprintf(`{"until": %q}`, until(i))),
		})
	}
	enqueued, err := x.store.Enqueue(x.Context(), items)
	if err != nil {
		x.Fatal(err)
	}
	file := map[int64]string{}
	ids = workqueue.IDs(enqueued)
	for _, id := range ids { // they need not have the order of the items
		file[id] = until(1000 - x.item(id).Priority)
	}
	return ids, func(id int64) {
		x.Helper()
		if err := os.WriteFile(file[id], nil, 0o644); err != nil {
			x.Fatal(err)
		}
	}
}

// Somebody asks a worker to drain: what it has not begun goes back at its next
// heartbeat and to another worker, what it runs ends well with it, and its
// process stays.
func TestAWorkerDrainsOnRequest(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		settings := []string{"CAPACITY=1", "HEARTBEAT=1s", "LEASE=20s", "SHUTDOWNGRACE=10m"}
		first := x.worker("first", settings...)
		first.await("worker started", 1)
		ids, letGo := x.enqueueHolds(4)
		first.await("begun, attempt 1", 1)
		var running int64
		for _, id := range ids {
			if it := x.item(id); it.State == workqueue.Blocked {
				running = id
			}
		}

		x.must("workers", "drain", "first")
		first.await("drain requested", 1)
		for _, id := range ids {
			if id == running {
				continue
			}
			// It waits for a slot that is free, or was assigned and goes back.
			if it := x.awaitState(id, workqueue.Ready); it.State != workqueue.Ready || it.ReleaseCount != 0 || it.Fence != 0 {
				t.Errorf("item %d is %s, ReleaseCount %d, Fence %d; want Ready, 0 and 0: given back before it began", id, it.State, it.ReleaseCount, it.Fence)
			}
		}
		// All may end: a pass of first that goes on beside second may have it run
		// them in another order than that of their priorities.
		for _, id := range ids {
			if id != running {
				letGo(id)
			}
		}
		second := x.worker("second", settings...)
		for _, id := range ids {
			if id == running {
				continue
			}
			it := x.awaitState(id, workqueue.Processed)
			if it.WorkerID == nil || *it.WorkerID != x.workerID("second") || it.RetryCount != 0 || it.ReleaseCount != 0 || len(x.outcomes(id)) != 0 {
				t.Errorf("item %d: worker %v, RetryCount %d, ReleaseCount %d, attempts %v; want second's, 0, 0 and none",
					id, it.WorkerID, it.RetryCount, it.ReleaseCount, x.outcomes(id))
			}
		}
		if it := x.item(running); it.State != workqueue.Blocked {
			t.Errorf("meanwhile the item that ran is %s, want Blocked: it goes on", it.State)
		}
		letGo(running)
		it := x.awaitState(running, workqueue.Processed)
		if *it.WorkerID != x.workerID("first") || it.Fence != 1 || len(x.outcomes(running)) != 0 {
			t.Errorf("the item that ran: worker %d, Fence %d, attempts %v; want first's, 1 and none", *it.WorkerID, it.Fence, x.outcomes(running))
		}
		// It takes nothing more, and waits to be stopped.
		more, letGo := x.enqueueHolds(2)
		for _, id := range more {
			letGo(id)
			if it := x.awaitState(id, workqueue.Processed); *it.WorkerID != x.workerID("second") {
				t.Errorf("item %d ran with worker %d, want second", id, *it.WorkerID)
			}
		}
		first.wantDrained(os.Interrupt)
		second.wantDrained(os.Interrupt)
	})
}

// workerID is the id of the worker of a name.
func (x *project) workerID(name string) int64 {
	x.Helper()
	workers, err := x.store.Workers(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name {
			return w.ID
		}
	}
	x.Fatalf("there is no worker %q", name)
	return 0
}
