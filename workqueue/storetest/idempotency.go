package storetest

import (
	"time"

	"botwork/workqueue"
)

func idempotencyTests() []test {
	return []test{
		{"every item has a unique key", idempotencyUnique},
		{"retries and copies keep the key", idempotencyKept},
		{"repeat and clone are new work", idempotencyRenewed},
		{"a claim creates a missing key", idempotencyMissing},
	}
}

// wantKeys checks that the items have unique keys.
func (x *fixture) wantKeys(ids ...int64) {
	x.Helper()
	holders := map[string]int64{}
	for _, id := range ids {
		key := x.show(id).IdempotencyKey
		if other, exists := holders[key]; exists || len(key) < 32 {
			x.Errorf("item %d has the idempotency key %q, and so has item %d, want a unique one", id, key, other)
		}
		holders[key] = id
	}
}

func idempotencyUnique(x *fixture) {
	var same []workqueue.NewItem
	for range 20 {
		same = append(same, workqueue.NewItem{IntegrationConfig: "Invoice", Payload: `{"n":1}`})
	}
	made, err := x.Store.Enqueue(x.ctx, same)
	if err != nil {
		x.Fatal(err)
	}
	x.wantKeys(workqueue.IDs(made)...)
}

func idempotencyKept(x *fixture) {
	w := x.Worker(WorkerOpts{})
	made := x.Item(ItemOpts{})
	x.Assign(w, made.ID)
	it := x.claim(w, 1)[0]
	x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Ready, RetryCount: 1, Error: "no such host", ErrorKind: workqueue.KindError})
	x.Assign(w, made.ID)
	again := x.claim(w, 1)[0]
	if it.IdempotencyKey != made.IdempotencyKey || again.IdempotencyKey != made.IdempotencyKey {
		x.Errorf("the keys of the attempts are %q and %q, want that of the item, %q", it.IdempotencyKey, again.IdempotencyKey, made.IdempotencyKey)
	}
	x.finish(w, asCopy(again, 2))
	copied := x.show(x.list(workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}})[0])
	if copied.ID == made.ID || copied.IdempotencyKey != made.IdempotencyKey {
		x.Errorf("the copy of item %d is item %d with the key %q, want another item with the key %q", made.ID, copied.ID, copied.IdempotencyKey, made.IdempotencyKey)
	}
}

func idempotencyRenewed(x *fixture) {
	done := x.Item(ItemOpts{State: workqueue.Processed})
	clone, err := x.Store.ChangeItem(x.ctx, done.ID, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	x.wantKeys(done.ID, clone)
	if err := Do(x.ctx, x.Store, workqueue.Repeat, done.ID, ""); err != nil {
		x.Fatal(err)
	}
	x.wantKeys(done.ID, clone)
	if x.show(done.ID).IdempotencyKey == done.IdempotencyKey {
		x.Error("repeat kept the idempotency key, want a new one")
	}
	// The same for many items in one call.
	cancelled := []int64{x.Item(ItemOpts{State: workqueue.Cancelled}).ID, x.Item(ItemOpts{State: workqueue.Cancelled}).ID}
	if _, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Cancelled}}, workqueue.Change{Action: workqueue.Repeat}); err != nil {
		x.Fatal(err)
	}
	x.wantKeys(append(cancelled, done.ID, clone)...)
}

// Rows from before the column existed have no key, and on SQLite rows that are inserted
// by hand.
func idempotencyMissing(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ids []int64
	for range 4 {
		ids = append(ids, x.Item(ItemOpts{In: -time.Second}).ID)
	}
	x.robots(nil)
	ids = append(ids, x.enqueueForms(form(1), form(1))...)
	x.exec(6, `UPDATE "BotWorkQueueItems" SET "IdempotencyKey" = NULL`)
	x.Assign(w, ids[0], ids[1])
	got := x.claim(w, 2)
	got = append(got, x.takeItems(w, workqueue.Assignment{ItemID: ids[2], WorkerID: w.ID}, workqueue.Assignment{ItemID: ids[3], WorkerID: w.ID})...)
	got = append(got, x.take(2).Items...)
	x.wantIDs("claimed items", idsOf(got), ids)
	x.wantKeys(ids...)
	for _, it := range got {
		if key := x.show(it.ID).IdempotencyKey; it.IdempotencyKey != key {
			x.Errorf("the claim of item %d returned the key %q, want that of its row, %q", it.ID, it.IdempotencyKey, key)
		}
	}
}
