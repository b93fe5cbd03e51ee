package storetest

import (
	"context"

	"botwork/workqueue"
)

func takeTests() []test {
	return []test{
		{"the fields of a taken item", takeFields},
		{"only waiting items, in the order of claims", takeSkips},
		{"nothing for a worker that may not claim", takeNothing},
		{"expired items are not started", takeExpired},
		{"more than a thousand items", takeMany},
		{"a pass that only takes items", takePassWrites},
		{"a pass that only takes items and is too late", takePassOvertaken},
		{"several such passes at the same time", takePassContended},
		{"such a pass of a worker that may not claim", takePassRefused},
	}
}

// takeItems lets a worker take items in a pass.
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
	x.wantSame(got[0]) // AssignAndClaim returns what the database has
}

func takeSkips(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var list []workqueue.Assignment
	var unchanged []workqueue.Item
	for _, s := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		it := x.Item(ItemOpts{State: s})
		unchanged, list = append(unchanged, it), append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}
	low, high, later := x.Item(ItemOpts{Priority: 10}), x.Item(ItemOpts{Priority: 30}), x.Item(ItemOpts{Priority: 10})
	for i, it := range []workqueue.Item{later, low, high} {
		list = append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID, RunOrder: int64(10 - i)})
	}
	x.wantIDs("taken", idsOf(x.takeItems(w, list...)), []int64{high.ID, low.ID, later.ID})
	for _, it := range unchanged {
		x.wantSame(it)
	}
	x.wantIDs("taken again", idsOf(x.takeItems(w, list...)), []int64{})
}

func takeNothing(x *fixture) {
	w, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	replaced := w
	replaced.InstanceID = other.InstanceID
	draining := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Id" = %d`, draining.ID)
	for name, worker := range map[string]workqueue.Worker{"another instance": replaced, "a draining worker": draining} {
		if got := x.takeItems(worker, workqueue.Assignment{ItemID: it.ID, WorkerID: worker.ID}); len(got) != 0 {
			x.Errorf("%s took %v, want none", name, idsOf(got))
		}
		x.wantSame(it)
	}
	if got := x.takeItems(w); len(got) != 0 {
		x.Errorf("taking no items returned %v, want none", idsOf(got))
	}
}

func takeExpired(x *fixture) {
	w := x.Worker(WorkerOpts{})
	late, expired, fine := x.Item(ItemOpts{}), x.Item(ItemOpts{}), x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, late.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, expired.ID)
	var list []workqueue.Assignment
	for _, it := range []workqueue.Item{late, expired, fine} {
		list = append(list, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID})
	}
	x.wantIDs("taken", idsOf(x.takeItems(w, list...)), []int64{fine.ID})
	x.wantState(late.State, late.ID)
	x.wantState(expired.State, expired.ID)
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
