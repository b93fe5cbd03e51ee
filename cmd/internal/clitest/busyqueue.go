package clitest

import (
	"context"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// BusyQueue creates one item in each state, with the ids 1 to 7: processed, failed once,
// cancelled as failed, pending, scheduled, running and assigned.
func BusyQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	store, ctx := OpenQueue(t), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	worker, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
		Name: "worker-1", InstanceID: "instance-1", Host: "host-1", PID: 4711, Version: "1.2.3", Capacity: 4,
		Labels: `{"site":"lisbon"}`, Lease: time.Minute,
	})
	must(err)
	enqueue := func(priority int, in time.Duration) int64 {
		t.Helper()
		made, err := store.Enqueue(ctx, []workqueue.NewItem{{
			State: workqueue.Pending, Priority: priority, IntegrationConfig: "hello", Payload: `{"name":"Ada"}`, In: in, CreatedBy: "test",
		}})
		must(err)
		return made[0].ID
	}
	assign := func(id int64) {
		t.Helper()
		must(store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: worker.ID}})
			return err
		}))
	}
	claim := func(id int64) workqueue.Item {
		t.Helper()
		assign(id)
		items, err := store.Claim(ctx, workqueue.ClaimParams{
			WorkerID: worker.ID, InstanceID: "instance-1", Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute,
		})
		must(err)
		return items[0]
	}
	finish := func(id int64, f workqueue.Finish) {
		t.Helper()
		it := claim(id)
		f.ItemID, f.Fence = it.ID, it.Fence
		_, err := store.Finish(ctx, worker.ID, worker.InstanceID, []workqueue.Finish{f})
		must(err)
	}
	finish(enqueue(1000, 0), workqueue.Finish{State: workqueue.Processed, Output: `{"size":12}`})
	finish(enqueue(500, 0), workqueue.Finish{
		State: workqueue.Ready, RetryCount: 1, Delay: time.Hour, Error: "no answer\nfrom the host", ErrorKind: workqueue.KindError,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "load"},
	})
	finish(enqueue(499, 0), workqueue.Finish{
		Step: "check", Progress: "2 of 3 amounts", LogTail: "2026-11-21T10:00:00Z INF amount 1\n2026-11-21T10:00:01Z WRN amount 2\n",
		StepTimes: `[{"step":"load","ms":1204},{"step":"check","ms":87}]`,
		State:     workqueue.Cancelled, RetryCount: 1, Error: "amount is negative", ErrorKind: workqueue.KindBusiness,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "check"},
	})
	enqueue(1001, 0)
	enqueue(1000, 2*time.Hour)
	running := claim(enqueue(1000, 0))
	_, err = store.Progress(ctx, worker.ID, worker.InstanceID, []workqueue.ProgressNote{{
		ItemRef: workqueue.ItemRef{ItemID: running.ID, Fence: running.Fence}, Step: "load", Progress: "half of 12",
		LogTail: "2026-11-21T10:00:02Z INF begun\n",
	}})
	must(err)
	assign(enqueue(1000, 0))
	return store
}
