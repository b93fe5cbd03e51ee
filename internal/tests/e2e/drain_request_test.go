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
// assigns all of them, and returns functions that let each item end.
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
	for _, id := range ids { // they may not be in the order of the items
		file[id] = until(1000 - x.item(id).Priority)
	}
	return ids, func(id int64) {
		x.Helper()
		if err := os.WriteFile(file[id], nil, 0o644); err != nil {
			x.Fatal(err)
		}
	}
}

// A user asks a worker to drain: items that have not started are released at its next
// heartbeat and run on another worker, running items finish on this worker, and its
// process continues to run.
func TestWorkerDrainsOnRequest(t *testing.T) {
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
			// It waits for a free slot, or was assigned and is released.
			if it := x.awaitState(id, workqueue.Ready); it.State != workqueue.Ready || it.ReleaseCount != 0 || it.Fence != 0 {
				t.Errorf("item %d is %s, ReleaseCount %d, Fence %d; want Ready, 0 and 0: released before it began", id, it.State, it.ReleaseCount, it.Fence)
			}
		}
		// All items may end now: if a pass of first continues beside second, the items may
		// run in a different order than that of their priorities.
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
			t.Errorf("in the meantime the running item is %s, want Blocked", it.State)
		}
		letGo(running)
		it := x.awaitState(running, workqueue.Processed)
		if *it.WorkerID != x.workerID("first") || it.Fence != 1 || len(x.outcomes(running)) != 0 {
			t.Errorf("the running item: worker %d, Fence %d, attempts %v; want first's, 1 and none", *it.WorkerID, it.Fence, x.outcomes(running))
		}
		// The worker takes no more items, and waits until it is stopped.
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

// workerID returns the id of the worker with a name.
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
	x.Fatalf("worker %q does not exist", name)
	return 0
}
