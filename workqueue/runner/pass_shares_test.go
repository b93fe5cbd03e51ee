package runner_test

import (
	"fmt"
	"maps"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

// A queue whose items run together gets its part, although others have more urgent items than a pass
// reads. A limit of another queue makes that a few dozen items, since the pass holds the lock then.
func TestSharesOfItemsThatRunTogether(t *testing.T) {
	for _, c := range []struct {
		limit, urgent int
	}{
		{limit: 1, urgent: 100},
		{limit: 0, urgent: 600},
	} {
		t.Run(fmt.Sprintf("limit %d", c.limit), func(t *testing.T) {
			onEngines(t, func(t *testing.T, store storetest.Store) {
				queues := []workqueue.Queue{
					{Name: "urgent", Distribution: `{"share":3}`},
					{Name: "limited", Distribution: `{"share":2}`, QueueLimits: workqueue.QueueLimits{Concurrency: c.limit}},
					{Name: "together", Distribution: `{"share":2}`},
				}
				if _, err := store.DefineQueues(t.Context(), queues, "ann"); err != nil {
					t.Fatal(err)
				}
				ids := enqueue(t, store, c.urgent, workqueue.NewItem{QueueName: "urgent", Priority: 1000})
				ids = append(ids, enqueue(t, store, 10, workqueue.NewItem{QueueName: "limited", Priority: 800})...)
				batch := &workqueue.ItemBatch{Key: "a", Max: 2}
				ids = append(ids, enqueue(t, store, 10, workqueue.NewItem{QueueName: "together", Priority: 700, Batch: batch})...)
				register(t, store, "ann", 3)
				pass(t, store, assign.AssignParams{})
				got := map[string]int{}
				for id, worker := range holders(t, store, ids) {
					if worker != 0 {
						got[item(t, store, ids[id]).QueueName]++
					}
				}
				if want := map[string]int{"urgent": 1, "limited": 1, "together": 1}; !maps.Equal(got, want) {
					t.Errorf("assigned %v, want %v", got, want)
				}
			})
		})
	}
}
