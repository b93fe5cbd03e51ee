package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

func rescueTests() []test {
	return []test{
		{"a running item with an expired lease", rescueExpired},
		{"a running item without a lease", rescueNoLease},
		{"assigned items that no worker will run", rescueAssigned},
		{"no item without a problem", rescueNothing},
		{"no item with a renewed lease", rescueRenewed},
		{"the late end of a rescued run", rescueLateFinish},
		{"more items than one statement handles", rescueMany},
		{"the priorities of the released items", rescueBand},
		{"assigned items that no claim starts", rescueWithheld},
	}
}

// rescue runs a pass that rescues with the product's defaults.
func (x *fixture) rescue() workqueue.RescueResult {
	x.Helper()
	var result workqueue.RescueResult
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		result, err = tx.Rescue(ctx, 10*time.Minute)
		return err
	})
	return result
}

// wantRescue runs a rescue and checks its result.
func (x *fixture) wantRescue(want workqueue.RescueResult) {
	x.Helper()
	got := x.rescue()
	got.Band = workqueue.Band{} // has its own test
	if got != want {
		x.Errorf("Rescue = %+v, want %+v", got, want)
	}
}

// expire expires the lease of a running item whose run has begun.
func (x *fixture) expire(id int64) {
	x.Helper()
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "BegunFence" = "Fence" WHERE "Id" = %d AND "State" = 1`, id)
	x.expireClaim(id)
}

// expireClaim expires the lease of a claimed item, and does not record a begin.
func (x *fixture) expireClaim(id int64) {
	x.Helper()
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Id" = %d AND "State" = 1`, longAgo, id)
}

func rescueExpired(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.expire(it.ID)
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	want := it
	want.State, want.ReleaseCount, want.WorkerID, want.AssignedAt, want.LeaseExpiresAt = workqueue.Ready, 1, nil, nil, nil
	want.Lifecycle = workqueue.LifePending
	want.Version++
	x.wantSame(want) // AvailableAt does not change, no failure is counted
	attempts := x.attempts(it.ID)
	if len(attempts) != 1 {
		x.Fatalf("%d attempts, want 1", len(attempts))
	}
	a := attempts[0]
	if a.Outcome != "rescued" || a.Attempt != 1 || a.Fence != it.Fence || deref(a.WorkerName) != "ann" || a.StartedAt == nil || !a.StartedAt.Equal(*it.StartedAt) || a.Error == nil {
		x.Errorf("the attempt is %s, want rescued from ann with the start and the reason", asJSON(a))
	}
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), []int64{it.ID})
	x.wantRescue(workqueue.RescueResult{})
}

func rescueNoLease(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Blocked})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, it.ID)
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	x.wantState(workqueue.Ready, it.ID)
}

func rescueAssigned(x *fixture) {
	for _, c := range []struct{ name, change string }{
		{"too long ago", `UPDATE "BotWorkQueueItems" SET "AssignedAt" = ` + longAgo + ` WHERE "Id" = {item}`},
		{"at no time", `UPDATE "BotWorkQueueItems" SET "AssignedAt" = NULL WHERE "Id" = {item}`},
		{"to no worker", `UPDATE "BotWorkQueueItems" SET "WorkerId" = NULL WHERE "Id" = {item}`},
		{"to a worker without a row", `UPDATE "BotWorkQueueItems" SET "WorkerId" = 4711 WHERE "Id" = {item}`},
		{"to a stopped worker", `UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = {worker}`},
		{"to a draining worker", `UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Id" = {worker}`},
		{"to a worker with an expired lease", `UPDATE "BotWorkers" SET "LeaseExpiresAt" = ` + longAgo + ` WHERE "Id" = {worker}`},
		{"to a deleted worker", `DELETE FROM "BotWorkers" WHERE "Id" = {worker}`},
	} {
		w := x.Worker(WorkerOpts{})
		it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
		if n := x.Exec(x.T, strings.NewReplacer("{item}", fmt.Sprint(it.ID), "{worker}", fmt.Sprint(w.ID)).Replace(c.change)); n != 1 {
			x.Fatalf("assigned %s: the change by hand changed %d rows, want 1", c.name, n)
		}
		if got, want := x.rescue(), (workqueue.RescueResult{Released: 1, Band: workqueue.Band{Min: it.Priority, Max: it.Priority}}); got != want {
			x.Errorf("assigned %s: Rescue = %+v, want %+v", c.name, got, want)
		}
		want := it
		want.State, want.WorkerID, want.AssignedAt = workqueue.Ready, nil, nil
		want.Lifecycle = workqueue.LifePending
		want.Version++
		x.wantSame(want)
		if n := len(x.attempts(it.ID)); n != 0 {
			x.Errorf("assigned %s: %d attempts, want none: the item had not started", c.name, n)
		}
	}
}

func rescueNothing(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := []workqueue.Item{x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})}
	for _, s := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		items = append(items, x.Item(ItemOpts{State: s, Worker: w, Priority: 1 + int(s)}))
	}
	// The item's own lease counts, not the worker's.
	x.exec(1, `UPDATE "BotWorkers" SET "LastSeenAt" = %s`, longAgo)
	x.wantRescue(workqueue.RescueResult{})
	for _, it := range items {
		x.wantSame(it)
	}
}

func rescueRenewed(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.expire(it.ID)
	x.mustBeat(w, ref(it))
	x.wantRescue(workqueue.RescueResult{})
	x.wantState(workqueue.Blocked, it.ID)
	x.wantIDs("lost", x.finish(w, success(it)), nil)
}

func rescueLateFinish(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.expire(it.ID)
	x.rescue()
	x.wantIDs("lost after the rescue", x.finish(w, success(it)), []int64{it.ID})
	x.wantState(workqueue.Ready, it.ID)
	// The same if the worker runs the item again.
	x.Assign(w, it.ID)
	again := x.claim(w, 1)[0]
	x.wantIDs("lost after the next claim", x.finish(w, success(it)), []int64{it.ID})
	x.wantIDs("lost by the heartbeat", x.mustBeat(w, ref(it)).Lost, []int64{it.ID})
	x.wantSame(again)
	x.wantIDs("lost by the current run", x.finish(w, success(again)), nil)
}

func rescueMany(x *fixture) {
	const running, assigned = 1100, 1200
	w := x.Worker(WorkerOpts{})
	x.Items(running, ItemOpts{State: workqueue.Assigned, Worker: w})
	if n := len(x.claim(w, running)); n != running {
		x.Fatalf("claimed %d, want %d", n, running)
	}
	x.Items(assigned, ItemOpts{State: workqueue.Assigned, Worker: w})
	x.exec(running, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "State" = 1`, longAgo)
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'stopped'`)
	x.wantRescue(workqueue.RescueResult{Rescued: running, Released: assigned})
	if n := len(x.due(workqueue.EveryPriority, running+assigned+1)); n != running+assigned {
		x.Errorf("%d items are due, want all %d", n, running+assigned)
	}
}

func rescueBand(x *fixture) {
	w := x.Worker(WorkerOpts{})
	if got := x.rescue(); got.Waits() {
		x.Errorf("Rescue = %+v, want no released items", got)
	}
	for _, priority := range []int{0, 700, 1500} {
		x.expire(x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: priority + 1}).ID)
	}
	// The most urgent of them is not released: it is poison.
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ReleaseCount" = 4 WHERE "Priority" = 1501`)
	if got, want := x.rescue(), (workqueue.Band{Min: 1, Max: 701}); !got.Waits() || got.Band != want {
		x.Errorf("Rescue = %+v, want the band %v", got, want)
	}
}
