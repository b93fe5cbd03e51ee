package storetest

import (
	"context"
	"time"

	"botwork/workqueue"
)

const gateReason = "cpu 97% over 90%"

// beatGated sends a heartbeat of a worker whose machine is short of a resource; "": it is not.
func (x *fixture) beatGated(w workqueue.Worker, reason string) {
	x.Helper()
	if _, err := x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Gate: reason}); err != nil {
		x.Fatal(err)
	}
	got := x.worker(w.Name)
	if reason == "" && got.Gate != nil || reason != "" && (got.Gate == nil || *got.Gate != reason) || got.State != workqueue.WorkerActive {
		x.Errorf("after a heartbeat with %q the worker is %s", reason, asJSON(got))
	}
}

// beatGate: a gated worker gets no items and loses those that it has not started, but keeps what it
// runs.
func beatGate(x *fixture) {
	w, other := x.Worker(WorkerOpts{Name: "ann", Capacity: 4}), x.Worker(WorkerOpts{Name: "bob"})
	runs := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	given := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	kept := x.Item(ItemOpts{State: workqueue.Assigned, Worker: other})
	waits := x.Item(ItemOpts{})

	x.beatGated(w, gateReason)
	if got := x.loads(time.Hour, workqueue.EveryPriority); len(got) != 1 || got[0].WorkerID != other.ID {
		x.Errorf("loads = %s, want only the worker that is not gated", asJSON(got))
	}
	write := func(want int, a workqueue.Assignment) {
		x.Helper()
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
			n, err := tx.Write(ctx, []workqueue.Assignment{a})
			if err == nil && n != want {
				x.Errorf("Write(%s) = %d, want %d", asJSON(a), n, want)
			}
			return err
		})
	}
	write(0, workqueue.Assignment{ItemID: waits.ID, WorkerID: w.ID}) // by an old plan
	write(0, workqueue.Assignment{ItemID: kept.ID, WorkerID: w.ID, From: other.ID})
	write(1, workqueue.Assignment{ItemID: given.ID, WorkerID: other.ID, From: w.ID})
	again := x.Item(ItemOpts{Priority: 900}) // assigned by hand
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 5, "WorkerId" = %d, "AssignedAt" = %s WHERE "Id" = %d`, w.ID, sqlAgo(0), again.ID)
	x.wantStranded(other, again.Priority, kept.Priority)
	x.wantRescue(workqueue.RescueResult{Released: 1})
	x.wantState(workqueue.Ready, again.ID)
	x.wantState(workqueue.Assigned, given.ID, kept.ID)
	x.wantSame(runs)

	x.beatGated(w, "")
	if got := x.loads(time.Hour, workqueue.EveryPriority); len(got) != 2 {
		x.Errorf("loads = %s, want both workers", asJSON(got))
	}
	write(1, workqueue.Assignment{ItemID: waits.ID, WorkerID: w.ID})

	// Neither the end of the process nor the next one leaves a reason.
	x.beatGated(w, gateReason)
	if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
		x.Fatal(err)
	}
	if got := x.worker("ann"); got.Gate != nil {
		x.Errorf("a stopped worker is gated: %s", *got.Gate)
	}
	x.beatGated(other, gateReason)
	spec := x.Spec(WorkerOpts{Name: "bob"})
	spec.Replaces = other.InstanceID
	if next, err := x.Store.RegisterWorker(x.ctx, spec); err != nil || next.Gate != nil {
		x.Errorf("the next process is %s, %v, want no reason of the previous one", asJSON(next), err)
	}
}
