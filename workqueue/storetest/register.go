package storetest

import (
	"errors"
	"sync"
	"time"

	"botwork/workqueue"
)

func registerTests() []test {
	return []test{
		{"a new name", registerNew},
		{"a name that a live process holds", registerTaken},
		{"a name that is free again", registerFree},
		{"a process that replaces a dead one", registerReplaces},
		{"items of the previous instance", registerInherits},
		{"running items of an instance that may be alive", registerSpares},
		{"the previous instance can change nothing", registerEarlier},
		{"only one of many processes registers a name", registerContention},
	}
}

func registerNew(x *fixture) {
	spec := x.Spec(WorkerOpts{Name: "ann", Capacity: 7})
	spec.Labels = `{"os":"windows"}`
	spec.Channels = workqueue.Channels{"voice": {Cost: 3}, "chat": {Cost: 1, Max: 2}}
	spec.Queues, spec.ReservedSlots = []string{"erp", "mail"}, 2
	w, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	ends := w.LastSeenAt.Add(leaseTime)
	want := workqueue.Worker{
		ID: w.ID, Name: "ann", InstanceID: spec.InstanceID, Host: spec.Host, PID: spec.PID, ProcessKey: spec.ProcessKey, Version: "1.2.3", Capacity: 7,
		Labels: `{"os":"windows"}`, Channels: `{"chat":{"cost":1,"max":2},"voice":{"cost":3}}`, Queues: `["erp","mail"]`, ReservedSlots: 2,
		State: workqueue.WorkerActive, StartedAt: w.StartedAt, LastSeenAt: w.LastSeenAt, LeaseExpiresAt: &ends,
	}
	if asJSON(w) != asJSON(want) || w.ProcessKey != want.ProcessKey {
		x.Errorf("the worker is\n     %s\nwant %s", asJSON(w), asJSON(want))
	}
	x.Worker(WorkerOpts{Name: "abe"})
	workers, err := x.Store.Workers(x.ctx)
	if err != nil || len(workers) != 2 || workers[0].Name != "abe" || asJSON(workers[1]) != asJSON(want) {
		x.Errorf("Workers = %s, %v, want abe and ann in order of names", asJSON(workers), err)
	}
}

func registerTaken(x *fixture) {
	holder := x.Worker(WorkerOpts{Name: "ann"})
	for _, replaces := range []string{"", "another instance"} {
		spec := x.Spec(WorkerOpts{Name: "ann"})
		spec.Replaces = replaces
		_, err := x.Store.RegisterWorker(x.ctx, spec)
		var taken *workqueue.NameTakenError
		if !errors.As(err, &taken) {
			x.Fatalf("RegisterWorker: %v, want *NameTakenError", err)
		}
		if taken.Name != "ann" || taken.Host != holder.Host || taken.PID != holder.PID || taken.InstanceID != holder.InstanceID ||
			taken.ProcessKey != holder.ProcessKey || !taken.LeaseEnds.Equal(*holder.LeaseExpiresAt) ||
			!taken.LastSeenAt.Equal(holder.LastSeenAt) || taken.FreeIn <= 0 || taken.FreeIn > leaseTime {
			x.Errorf("error = %+v, want the process that holds the name and the remaining time", *taken)
		}
	}
	if got := x.worker("ann"); asJSON(got) != asJSON(holder) {
		x.Errorf("the holder is now %s, want it unchanged", asJSON(got))
	}
}

func registerFree(x *fixture) {
	first := x.Worker(WorkerOpts{Name: "ann"})
	for _, c := range []struct {
		name string
		free func(w workqueue.Worker)
	}{
		{"stopped", func(w workqueue.Worker) {
			if err := x.Store.StopWorker(x.ctx, w.ID, w.InstanceID); err != nil {
				x.Fatal(err)
			}
		}},
		{"expired lease", func(w workqueue.Worker) {
			x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
		}},
		{"draining with an expired lease", func(w workqueue.Worker) {
			x.exec(1, `UPDATE "BotWorkers" SET "State" = 'draining', "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
		}},
		{"no lease", func(w workqueue.Worker) {
			x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, w.ID)
		}},
	} {
		before := x.worker("ann")
		c.free(before)
		spec := x.Spec(WorkerOpts{Name: "ann", Capacity: 9})
		spec.Channels = workqueue.Channels{"voice": {Cost: 9}}
		spec.ProcessKey = "" // the previous key is not kept
		got, err := x.Store.RegisterWorker(x.ctx, spec)
		if err != nil {
			x.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.ID != first.ID || got.InstanceID == before.InstanceID || got.State != workqueue.WorkerActive || got.Capacity != 9 ||
			got.StartedAt.Before(before.StartedAt) || got.Host == before.Host || got.ProcessKey != "" || got.Channels != `{"voice":{"cost":9}}` || got.Queues != "" {
			x.Errorf("%s: the worker is %s, want the same row with a new active instance", c.name, asJSON(got))
		}
	}
}

func registerReplaces(x *fixture) {
	dead := x.Worker(WorkerOpts{Name: "ann"})
	spec := x.Spec(WorkerOpts{Name: "ann"})
	spec.Replaces = dead.InstanceID
	got, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil || got.ID != dead.ID || got.InstanceID != spec.InstanceID {
		x.Errorf("RegisterWorker = %s, %v, want the dead instance replaced", asJSON(got), err)
	}
}

func registerInherits(x *fixture) {
	dead := x.Worker(WorkerOpts{Name: "ann"})
	bystander := x.Item(ItemOpts{State: workqueue.Blocked})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: dead, Priority: 1})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: dead, Priority: 2})
	spec := x.Spec(WorkerOpts{Name: "ann"})
	spec.Replaces = dead.InstanceID
	w, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	x.wantSame(assigned)
	x.wantSame(bystander)
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	x.wantState(workqueue.Ready, running.ID)
	x.wantIDs("claim by the new instance", idsOf(x.claim(w, 10)), []int64{assigned.ID})
}

// A process that registers a free name does not know whether the previous process is dead:
// that process may run its items until its next heartbeat.
func registerSpares(x *fixture) {
	before := x.Worker(WorkerOpts{Name: "ann"})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: before})
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = %d`, before.ID)
	if _, err := x.Store.RegisterWorker(x.ctx, x.Spec(WorkerOpts{Name: "ann"})); err != nil {
		x.Fatal(err)
	}
	x.wantSame(running)
	x.wantRescue(workqueue.RescueResult{})
}

func registerEarlier(x *fixture) {
	earlier := x.Worker(WorkerOpts{Name: "ann"})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: earlier})
	spec := x.Spec(WorkerOpts{Name: "ann"})
	spec.Replaces = earlier.InstanceID
	current, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	if _, err := x.beat(earlier); !errors.Is(err, workqueue.ErrWorkerReplaced) {
		x.Errorf("Beat: %v, want ErrWorkerReplaced", err)
	}
	if err := x.Store.StopWorker(x.ctx, earlier.ID, earlier.InstanceID); !errors.Is(err, workqueue.ErrWorkerReplaced) {
		x.Errorf("StopWorker: %v, want ErrWorkerReplaced", err)
	}
	if n, err := x.Store.ReleaseAssigned(x.ctx, earlier.ID, earlier.InstanceID); n != 0 || err != nil {
		x.Errorf("ReleaseAssigned = %d, %v, want 0", n, err)
	}
	x.wantIDs("claim", idsOf(x.claim(earlier, 1)), []int64{})
	x.wantSame(it)
	if got := x.worker("ann"); asJSON(got) != asJSON(current) {
		x.Errorf("the current instance is now %s, want it unchanged", asJSON(got))
	}
}

func registerContention(x *fixture) {
	x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, x.Worker(WorkerOpts{Name: "old"}).ID)
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	for _, name := range []string{"new", "old"} {
		var mu sync.Mutex
		var won []workqueue.Worker
		var wg sync.WaitGroup
		for n := range 8 {
			spec := x.Spec(WorkerOpts{Name: name})
			wg.Go(func() {
				w, err := stores[n%len(stores)].RegisterWorker(x.ctx, spec)
				mu.Lock()
				defer mu.Unlock()
				var taken *workqueue.NameTakenError
				switch {
				case err == nil:
					won = append(won, w)
				case !errors.As(err, &taken):
					x.Errorf("%s: %v, want *NameTakenError", name, err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			x.Fatalf("%s: %d processes registered the name, want 1", name, len(won))
		}
		if got := x.worker(name); got.InstanceID != won[0].InstanceID || got.LeaseExpiresAt.Sub(got.LastSeenAt) != time.Hour {
			x.Errorf("%s: the row is %s, want the winner's %s", name, asJSON(got), asJSON(won[0]))
		}
	}
}
