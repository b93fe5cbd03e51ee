//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// Two processes share the items: each item runs once, and both processes run some.
func TestTwoProcessesShareTheItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		shareItems(newProject(t, e))
	})
}

func shareItems(x *project) {
	x.write("pipelines/book.yaml", book)
	r := rolling{project: x, file: filepath.Join(x.dir, "book")}
	a, b := x.worker("a", "CAPACITY=4"), x.worker("b", "CAPACITY=4")
	a.await("worker started", 1)
	b.await("worker started", 1)
	items := make([]workqueue.NewItem, 200)
	for i := range items {
		items[i] = workqueue.NewItem{
			IntegrationConfig: "book", Priority: 500 + i%700,
			Payload: workqueue.JSONText(fmt.Sprintf(`{"file": %q, "seconds": "0.05"}`, r.file)),
		}
	}
	enqueued, err := x.store.Enqueue(x.Context(), items)
	if err != nil {
		x.Fatal(err)
	}
	ranAt := map[int64]int{}
	for _, id := range workqueue.IDs(enqueued) {
		it := x.awaitState(id, workqueue.Processed)
		if it.RetryCount != 0 || it.WorkerID == nil {
			x.Fatalf("item %d ended with RetryCount %d, worker %v; want 0 and a worker", id, it.RetryCount, it.WorkerID)
		}
		ranAt[*it.WorkerID]++
	}
	a.wantDrained(os.Interrupt)
	b.wantDrained(os.Interrupt)
	lines := r.read()
	for _, it := range enqueued {
		// A worker that releases a claimed item before it starts raises the fence.
		ended := x.item(it.ID)
		want := map[string]int{fmt.Sprint("begin ", ended.Fence): 1, fmt.Sprint("end ", ended.Fence): 1}
		if !maps.Equal(lines[it.ID], want) {
			x.Errorf("item %d: %v, want %v", it.ID, lines[it.ID], want)
		}
	}
	if len(ranAt) != 2 {
		x.Errorf("items by worker: %v, want both", ranAt)
	}
}
