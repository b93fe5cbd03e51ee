package storetest

import (
	"context"

	"botwork/workqueue"
)

func takeTests() []test {
	return []test{
		{"a taken item", takeFields},
		{"only waiting items, in the order of claims", takeSkips},
		{"nothing for who may not claim", takeNothing},
		{"what has expired is not started", takeExpired},
		{"a thousand and more", takeMany},
		{"a pass of nothing else", takePassWrites},
		{"a pass of nothing else that comes too late", takePassOvertaken},
		{"several of them at a time", takePassContended},
		{"one for who may not claim", takePassOfNobody},
	}
}

// takeItems has a worker take items in a pass.
func (x *fixture) takeItems(w workqueue.Worker, list ...workqueue.Assignment) (items []workqueue.Item) {
	x.Helper()
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		items, err = tx.AssignAndClaim(ctx, list, workqueue.PassClaim{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Max: len(list)})
		return err
	})
	return items
}

func takeFields(x *fixture) {
	w := x.Worker(WorkerOpts{})
	before := x.Item(ItemOpts{Payload: `{"a": 1}`, Policy: `{"limit": 2}`})
	got := x.takeItems(w, workqueue.Assignment{ItemID: before.ID, WorkerID: w.ID, RunOrder: 7, Estimate: 1500 * 1e6, Channel: "voice"})
	if len(got) != 1 {
		x.Fatalf("took %v, want item %d", idsOf(got), before.ID)
	}
	x.wantClean("StartedAt", got[0].StartedAt)
	want := before
	want.State, want.Fence, want.StartedAt, want.FirstStartedAt = workqueue.Blocked, before.Fence+1, got[0].StartedAt, got[0].StartedAt
	want.WorkerID, want.AssignedAt, want.RunOrder = new(w.ID), got[0].StartedAt, 7
	want.AssignedEstimateMs, want.Channel = new(int64(1500)), new("voice")
	want.Lifecycle = workqueue.LifeActive
	want.LeaseExpiresAt = new(got[0].StartedAt.Add(leaseTime))
	if asJSON(got[0]) != asJSON(want) {
		x.Errorf("the taken item is\n     %s\nwant %s", asJSON(got[0]), asJSON(want))
	}
	x.wantSame(got[0]) // what Take returned is what the database holds
}

func takeSkips(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var list []workqueue.Assignment
	var others []workqueue.Item
	for _, s := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		it := x.Item(ItemOpts{State: s})
		others, list = append(others, it), append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}
	low, high, later := x.Item(ItemOpts{Priority: 10}), x.Item(ItemOpts{Priority: 30}), x.Item(ItemOpts{Priority: 10})
	for i, it := range []workqueue.Item{later, low, high} {
		list = append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID, RunOrder: int64(10 - i)})
	}
	x.wantIDs("taken", idsOf(x.takeItems(w, list...)), []int64{high.ID, low.ID, later.ID})
	for _, it := range others {
		x.wantSame(it)
	}
	x.wantIDs("taken again", idsOf(x.takeItems(w, list...)), []int64{})
}

func takeNothing(x *fixture) {
	w, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	impostor := w
	impostor.InstanceID = other.InstanceID
	drains := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Id" = %d`, drains.ID)
	for name, taker := range map[string]workqueue.Worker{"an impostor": impostor, "a worker that drains": drains} {
		if got := x.takeItems(taker, workqueue.Assignment{ItemID: it.ID, WorkerID: taker.ID}); len(got) != 0 {
			x.Errorf("%s took %v", name, idsOf(got))
		}
		x.wantSame(it)
	}
	if got := x.takeItems(w); len(got) != 0 {
		x.Errorf("taking nothing brought %v", idsOf(got))
	}
}

func takeExpired(x *fixture) {
	w := x.Worker(WorkerOpts{})
	late, dead, fine := x.Item(ItemOpts{}), x.Item(ItemOpts{}), x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, late.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, dead.ID)
	var list []workqueue.Assignment
	for _, it := range []workqueue.Item{late, dead, fine} {
		list = append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}
	x.wantIDs("taken", idsOf(x.takeItems(w, list...)), []int64{fine.ID})
	x.wantState(late.State, late.ID)
	x.wantState(dead.State, dead.ID)
}

func takeMany(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(1500, ItemOpts{})
	list := make([]workqueue.Assignment, len(ids))
	for i, id := range ids {
		list[i] = workqueue.Assignment{ItemID: id, WorkerID: w.ID}
	}
	x.wantIDs("taken", idsOf(x.takeItems(w, list...)), ids)
}
