package process_test

import (
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// A worker that gets more slots starts waiting items at its next heartbeat, without a restart and
// without a new run; one that was resumed starts them as well.
func TestSettingsChangeWhileTheWorkerRuns(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["waking"] = waking
		begun, goOn := x.addHold()
		b := x.newOptions("w")
		b.Spec.Capacity, b.Heartbeat = 1, 200*time.Millisecond
		x.startProcess(b)
		b.awaitStart(t)
		for range 4 {
			x.enqueue(workqueue.NewItem{Priority: 200, IntegrationConfig: "job"})
		}
		receive(t, begun, "the item in the only slot")
		select {
		case <-begun:
			t.Error("a second item runs in the only slot")
		case <-time.After(time.Second):
		}
		if _, err := x.store.SetWorker(t.Context(), "w", false, workqueue.WorkerOverrides{Capacity: new(3)}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			receive(t, begun, "an item in one of the new slots")
		}
		// Draining, it starts nothing in the slots that become free.
		if err := x.store.RequestDrain(t.Context(), "w"); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "drain requested; this worker takes no more items until it is resumed", 1)
		for range 3 {
			goOn <- struct{}{}
		}
		b.log.awaitNth(t, "item succeeded", 3)
		select {
		case <-begun:
			t.Error("a draining worker started an item")
		case <-time.After(time.Second):
		}
		if _, err := x.store.ResumeWorker(t.Context(), "w"); err != nil {
			t.Fatal(err)
		}
		receive(t, begun, "an item after the worker was resumed")
		goOn <- struct{}{}
		b.log.awaitNth(t, "item succeeded", 4)
	})
}
