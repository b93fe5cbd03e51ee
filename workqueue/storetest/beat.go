package storetest

import (
	"time"

	"context"
	"errors"
	"slices"

	"botwork/workqueue"
)

func beatTests() []test {
	return []test{
		{"the worker's own lease", beatWorker},
		{"the leases of the items that it holds", beatHeld},
		{"lost items", beatLost},
		{"hundreds of leases", beatMany},
		{"the requested state of the worker", beatState},
		{"stuck slots", beatStuck},
		{"a gated worker", beatGate},
		{"the time since which the worker is free", beatEnded},
		{"no heartbeat of a replaced worker", beatReplaced},
	}
}

// beat sends a heartbeat of the worker with the items that it holds.
func (x *fixture) beat(w workqueue.Worker, held ...workqueue.ItemRef) (workqueue.BeatResult, error) {
	return x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Held: held})
}

// mustBeat sends a heartbeat that must succeed.
func (x *fixture) mustBeat(w workqueue.Worker, held ...workqueue.ItemRef) workqueue.BeatResult {
	x.Helper()
	result, err := x.beat(w, held...)
	if err != nil {
		x.Fatal(err)
	}
	return result
}

// worker reads a worker by its name.
func (x *fixture) worker(name string) workqueue.Worker {
	x.Helper()
	workers, err := x.Store.Workers(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name {
			return w
		}
	}
	x.Fatalf("no worker %q among %s", name, asJSON(workers))
	return workqueue.Worker{}
}

func ref(it workqueue.Item) workqueue.ItemRef {
	return workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
}

func beatWorker(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "LastSeenAt" = %s, "LeaseExpiresAt" = %s`, longAgo, longAgo)
	if got := x.mustBeat(w); got.State != workqueue.WorkerActive || len(got.Lost) != 0 {
		x.Errorf("Beat = %+v, want active and nothing lost", got)
	}
	got := x.worker(w.Name)
	if got.LastSeenAt.Before(w.LastSeenAt) || !got.LeaseExpiresAt.Equal(got.LastSeenAt.Add(leaseTime)) {
		x.Errorf("the worker was last seen at %s and its lease ends at %s, want now and %s later", got.LastSeenAt, got.LeaseExpiresAt, leaseTime)
	}
}

func beatHeld(x *fixture) {
	w := x.Worker(WorkerOpts{})
	held := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 1})
	other := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 2}) // is running, but not named in the heartbeat
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
	if got := x.mustBeat(w, ref(held)); len(got.Lost) != 0 {
		x.Errorf("lost = %v, want none", got.Lost)
	}
	if got := x.show(held.ID); got.LeaseExpiresAt.Before(*held.LeaseExpiresAt) || got.State != workqueue.Blocked || got.Fence != held.Fence {
		x.Errorf("the held item is %s, want its lease renewed and nothing else changed", asJSON(got))
	}
	if got := x.show(other.ID); got.LeaseExpiresAt.Year() != 2001 {
		x.Errorf("a lease that was not named ends at %s, want it unchanged", got.LeaseExpiresAt)
	}
}

func beatLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	held := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	notHeld := []workqueue.Item{
		x.Item(ItemOpts{State: workqueue.Blocked}), // of another worker
		x.Item(ItemOpts{State: workqueue.Processed, Worker: w, Priority: 1}),
		x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 2}),
		x.Item(ItemOpts{}),
	}
	stale := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 3})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Fence" = "Fence" + 1 WHERE "Id" = %d`, stale.ID)
	refs := []workqueue.ItemRef{ref(held), {ItemID: 4711, Fence: 1}, ref(stale)}
	want := []int64{4711, stale.ID}
	notHeld = append(notHeld, x.show(stale.ID))
	for _, it := range notHeld[:4] {
		refs = append(refs, ref(it))
		want = append(want, it.ID)
	}
	got := x.mustBeat(w, refs...).Lost
	slices.Sort(got)
	slices.Sort(want)
	x.wantIDs("lost", got, want)
	for _, it := range notHeld {
		x.wantSame(it)
	}
}

func beatMany(x *fixture) {
	const n = 500
	w := x.Worker(WorkerOpts{})
	x.Items(n, ItemOpts{State: workqueue.Assigned, Worker: w})
	var refs []workqueue.ItemRef
	for _, it := range x.claim(w, n) {
		refs = append(refs, ref(it))
	}
	x.exec(n, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
	if got := x.mustBeat(w, refs...); len(refs) != n || len(got.Lost) != 0 {
		x.Errorf("%d held, %d lost, want %d and none", len(refs), len(got.Lost), n)
	}
	x.exec(n, `UPDATE "BotWorkQueueItems" SET "Progress" = 'renewed' WHERE "LeaseExpiresAt" > %s`, longAgo)
}

func beatState(x *fixture) {
	w := x.Worker(WorkerOpts{})
	held := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	if err := x.Store.DrainWorker(x.ctx, w.Name, ""); err != nil {
		x.Fatal(err)
	}
	if got := x.mustBeat(w, ref(held)); got.State != workqueue.WorkerDraining || len(got.Lost) != 0 {
		x.Errorf("Beat = %+v, want draining and no lost items", got)
	}
}

func beatReplaced(x *fixture) {
	w := x.Worker(WorkerOpts{})
	held := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	earlier, unknown := w, w
	earlier.InstanceID = "the instance before"
	unknown.ID = 4711
	for _, c := range []struct {
		name   string
		worker workqueue.Worker
	}{{"an earlier instance", earlier}, {"a worker without a row", unknown}} {
		before := x.worker(w.Name)
		if _, err := x.beat(c.worker, ref(held)); !errors.Is(err, workqueue.ErrWorkerReplaced) {
			x.Errorf("heartbeat of %s: %v, want ErrWorkerReplaced", c.name, err)
		}
		if got := x.worker(w.Name); asJSON(got) != asJSON(before) {
			x.Errorf("heartbeat of %s changed the worker to %s", c.name, asJSON(got))
		}
	}
	if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
		x.Fatal(err)
	}
	if _, err := x.beat(w, ref(held)); !errors.Is(err, workqueue.ErrWorkerReplaced) {
		x.Errorf("heartbeat of a stopped worker: %v, want ErrWorkerReplaced", err)
	}
	x.wantSame(held)
}

func beatStuck(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann", Capacity: 4})
	beatWith := func(stuck int) {
		x.Helper()
		_, err := x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Stuck: stuck})
		if err != nil {
			x.Fatal(err)
		}
		if got := x.worker("ann"); got.StuckSlots != stuck || got.Capacity != 4 {
			x.Errorf("%d of %d slots are stuck, want %d of 4", got.StuckSlots, got.Capacity, stuck)
		}
		x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
			loads, err := workerLoads(ctx, tx, leaseTime, workqueue.EveryPriority, leaseTime)
			if err == nil && (len(loads) != 1 || loads[0].Capacity != 4-stuck) {
				x.Errorf("a pass sees %+v, want the %d slots that are not stuck", loads, 4-stuck)
			}
			return err
		})
	}
	beatWith(3)
	beatWith(0)
	beatWith(4)
	spec := x.Spec(WorkerOpts{Name: "ann"})
	spec.Replaces = w.InstanceID
	if _, err := x.Store.RegisterWorker(x.ctx, spec); err != nil {
		x.Fatal(err)
	}
	if got := x.worker("ann").StuckSlots; got != 0 {
		x.Errorf("the new process has %d stuck slots, want 0", got)
	}
}

// beatEnded: passes read from its heartbeats since when a worker has been free.
func beatEnded(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	beatWith := func(ended *time.Duration) workqueue.Worker {
		x.Helper()
		_, err := x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Ended: ended})
		if err != nil {
			x.Fatal(err)
		}
		return x.worker("ann")
	}
	if got := beatWith(nil); got.AvailableSince != nil {
		x.Errorf("available since %s, want no time before a run has ended", got.AvailableSince)
	}
	first := beatWith(new(90 * time.Second))
	if first.AvailableSince == nil || !first.AvailableSince.Equal(first.LastSeenAt.Add(-90*time.Second)) {
		x.Errorf("available since %v, want 90 s before the heartbeat at %s", first.AvailableSince, first.LastSeenAt)
	}
	if got := beatWith(nil); got.AvailableSince == nil || !got.AvailableSince.Equal(*first.AvailableSince) {
		x.Errorf("available since %v, want it unchanged at %v", got.AvailableSince, first.AvailableSince)
	}
	if got := x.loads(time.Hour, workqueue.EveryPriority); len(got) != 1 || !got[0].AvailableSince.Equal(*first.AvailableSince) {
		x.Errorf("loads = %s, want one worker that is available since %s", asJSON(got), first.AvailableSince)
	}
}
