package storetest

import (
	"errors"

	"botwork/workqueue"
)

func leaveTests() []test {
	return []test{
		{"stop", leaveStop},
		{"stop of a worker that does not exist", leaveStopMissing},
		{"drain", leaveDrain},
		{"drain of one instance", leaveDrainOfAnInstance},
		{"drain of a worker that does not exist", leaveDrainMissing},
		{"release of assigned items", leaveRelease},
	}
}

func leaveStop(x *fixture) {
	w := x.Worker(WorkerOpts{})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 1})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 2})
	other := x.Item(ItemOpts{State: workqueue.Assigned})
	for range 2 { // a second stop changes nothing
		if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
			x.Fatal(err)
		}
		if got := x.worker(w.Name); got.State != workqueue.WorkerStopped {
			x.Errorf("the worker is %s, want stopped", got.State)
		}
	}
	x.wantState(workqueue.Ready, assigned.ID)
	x.wantSame(running) // it may still finish
	x.wantSame(other)
	x.wantIDs("lost", x.finish(w, success(running)), nil)
}

func leaveStopMissing(x *fixture) {
	if err := x.Store.StopWorker(x.ctx, 4711, "some instance"); !errors.Is(err, workqueue.ErrWorkerReplaced) {
		x.Errorf("StopWorker: %v, want ErrWorkerReplaced", err)
	}
}

func leaveDrain(x *fixture) {
	w := x.Worker(WorkerOpts{})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	for range 2 {
		if err := x.Store.DrainWorker(x.ctx, w.Name, ""); err != nil {
			x.Fatal(err)
		}
		if got := x.worker(w.Name); got.State != workqueue.WorkerDraining {
			x.Errorf("the worker is %s, want draining", got.State)
		}
	}
	x.wantSame(running)
	x.wantIDs("lost", x.finish(w, success(running)), nil)
}

// A request of a previous process must not stop the next one.
func leaveDrainOfAnInstance(x *fixture) {
	w := x.Worker(WorkerOpts{})
	if err := x.Store.DrainWorker(x.ctx, w.Name, "the previous instance"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("DrainWorker of a previous instance: %v, want ErrNotFound", err)
	}
	if got := x.worker(w.Name).State; got != workqueue.WorkerActive {
		x.Errorf("the current instance is %s, want active", got)
	}
	if err := x.Store.DrainWorker(x.ctx, w.Name, w.InstanceID); err != nil {
		x.Error(err)
	}
	if got := x.worker(w.Name).State; got != workqueue.WorkerDraining {
		x.Errorf("the worker is %s, want draining", got)
	}
}

func leaveDrainMissing(x *fixture) {
	stopped := x.Worker(WorkerOpts{})
	if err := x.Store.StopWorker(x.ctx, stopped.ID, stopped.InstanceID); err != nil {
		x.Fatal(err)
	}
	for _, name := range []string{"unknown", stopped.Name} {
		if err := x.Store.DrainWorker(x.ctx, name, ""); !errors.Is(err, workqueue.ErrNotFound) {
			x.Errorf("DrainWorker(%q): %v, want ErrNotFound", name, err)
		}
	}
	if got := x.worker(stopped.Name).State; got != workqueue.WorkerStopped {
		x.Errorf("the stopped worker is %s, want stopped", got)
	}
}

func leaveRelease(x *fixture) {
	w := x.Worker(WorkerOpts{})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	assigned := x.Items(3, ItemOpts{State: workqueue.Assigned, Worker: w})
	other := x.Item(ItemOpts{State: workqueue.Assigned})
	if n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); n != 3 || err != nil {
		x.Errorf("ReleaseAssigned = %d, %v, want 3", n, err)
	}
	for _, id := range assigned {
		if got := x.show(id); got.State != workqueue.Ready || got.WorkerID != nil || got.AssignedAt != nil || got.ReleaseCount != 0 {
			x.Errorf("the released item is %s", asJSON(got))
		}
	}
	x.wantSame(running)
	x.wantSame(other)
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), assigned)
	if n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID); n != 0 || err != nil {
		x.Errorf("a second ReleaseAssigned = %d, %v, want 0", n, err)
	}
}
