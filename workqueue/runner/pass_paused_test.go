package runner_test

import (
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

// A worker whose items are all of a paused queue counts as idle: it gets items of other queues.
// The items of the paused queue start when the queue is resumed.
func TestPausedQueueBlocksNoWorker(t *testing.T) {
	onEngines(t, func(t *testing.T, store storetest.Store) {
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "mail"}}, "ann"); err != nil {
			t.Fatal(err)
		}
		ann := register(t, store, "ann", 1)
		claim := func() []workqueue.Item {
			t.Helper()
			items, err := store.Claim(t.Context(), workqueue.ClaimParams{
				WorkerID: ann.ID, InstanceID: ann.InstanceID, Band: workqueue.EveryPriority, Max: 10, Lease: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			return items
		}
		mail := enqueue(t, store, 3, workqueue.NewItem{QueueName: "mail", Priority: 700})
		if got := pass(t, store, assign.AssignParams{}); got.Assigned != 3 {
			t.Fatalf("the first pass = %+v, want 3 assigned", got)
		}
		if _, err := store.PauseQueue(t.Context(), "mail"); err != nil {
			t.Fatal(err)
		}
		if got := claim(); len(got) != 0 {
			t.Errorf("claimed %d items of a paused queue", len(got))
		}
		other := enqueue(t, store, 1, workqueue.NewItem{Priority: 500})[0]
		if got := pass(t, store, assign.AssignParams{}); got.Released != 3 || got.Assigned != 1 {
			t.Errorf("the pass while the queue is paused = %+v, want 3 released and 1 assigned", got)
		}
		if got := claim(); len(got) != 1 || got[0].ID != other {
			t.Errorf("claimed %v, want only item %d of the other queue", got, other)
		}
		if _, err := store.ResumeQueue(t.Context(), "mail"); err != nil {
			t.Fatal(err)
		}
		pass(t, store, assign.AssignParams{Workers: assign.AvailableWorkers})
		if got := claim(); len(got) != len(mail) {
			t.Errorf("claimed %d items after the queue was resumed, want %d", len(got), len(mail))
		}
	})
}
