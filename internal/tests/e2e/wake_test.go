//go:build unix

package e2e

import (
	"os"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// wakes is a pipeline for items of one priority whose schedule never fires in the test.
const wakes = `
trigger: {cron: "0 0 1 1 *", wake: true, scope: each-worker}
steps:
  - handler: AssignTasksToWorker
    with: {belowPriority: 500}
  - handler: ExecuteWorkItems
    with: {belowPriority: 500}
`

// Items that another process enqueues run long before the next tick, which is months away.
func TestItemWakesWorkerOfOtherProcess(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		if err := os.Remove(x.dir + "/pipelines/ExecuteLowPriorityWorkQueue.yaml"); err != nil {
			t.Fatal(err)
		}
		x.write("pipelines/wakes.yaml", wakes)
		x.write("pipelines/word.yaml", says("one"))
		tick := time.Date(time.Now().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
		worker := x.worker("w")
		worker.await("worker started", 1)
		for range 3 {
			var created struct{ ID int64 }
			decode(t, x.must("enqueue", "--pipeline", "word", "--priority", "100", "--output", "json"), &created)
			it := x.awaitState(created.ID, workqueue.Processed)
			if it.FinishedAt == nil || !it.FinishedAt.Before(tick) {
				t.Errorf("item %d ended at %v, want before the next tick, %v", it.ID, it.FinishedAt, tick)
			}
		}
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "wakes", Limit: 10})
		if err != nil || len(runs) == 0 || runs[0].Trigger != "wake" {
			t.Errorf("runs = %+v, %v; want one that was started by new work", runs, err)
		}
		worker.wantDrained(os.Interrupt)
	})
}
