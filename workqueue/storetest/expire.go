package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func expireTests() []test {
	return []test{
		{"items that did not start before their deadline", expireDeadline},
		{"items older than their queue's time to live", expireLife},
		{"running items may finish", expireRunning},
		{"more items than one statement handles", expireMany},
		{"an expired item that is repeated may run", expireRepeated},
		{"archives keep their limit", expireArchive},
		{"a queue removes expired items", expireRemoves},
		{"many removed items", expireRemovesMany},
	}
}

// wantExpired runs a pass that must cancel this number of items.
func (x *fixture) wantExpired(want int) {
	x.Helper()
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		got, err := tx.Expire(ctx)
		if got != want {
			x.Errorf("%d items expired, want %d", got, want)
		}
		return err
	})
}

// wantExpiredItem checks the fields of an expired item.
func (x *fixture) wantExpiredItem(id int64, why string) {
	x.Helper()
	got := x.show(id)
	if got.State != workqueue.Cancelled || deref(got.ErrorKind) != "expired" || !strings.Contains(deref(got.Error), why) {
		x.Errorf("the item is %s, want it cancelled as expired because of its %s", asJSON(got), why)
	}
	x.wantClean("FinishedAt", got.FinishedAt)
}

// overdue makes items whose deadline has passed since they were enqueued.
func (x *fixture) overdue(n int, o ItemOpts) []int64 {
	x.Helper()
	o.Deadline = time.Date(2095, 1, 1, 0, 0, 0, 0, time.UTC)
	ids := x.Items(n, o)
	x.exec(int64(n), `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" BETWEEN %d AND %d`, longAgo, slices.Min(ids), slices.Max(ids))
	return ids
}

func expireDeadline(x *fixture) {
	w := x.Worker(WorkerOpts{})
	future := time.Now().AddDate(1, 0, 0)
	late := x.overdue(1, ItemOpts{})[0]
	retried := x.overdue(1, ItemOpts{In: time.Hour})[0]
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Deadline: future})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, assigned.ID)
	inTime := x.Item(ItemOpts{Deadline: future})
	without := x.Item(ItemOpts{})
	done := x.Item(ItemOpts{State: workqueue.Processed, Deadline: future})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, done.ID)
	// The item does not start even before the pass cancels it.
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), []int64{inTime.ID, without.ID})
	x.wantIDs("claimed", idsOf(x.claim(w, 10)), nil)
	x.wantExpired(3)
	for _, id := range []int64{late, retried, assigned.ID} {
		x.wantExpiredItem(id, "deadline")
	}
	x.wantState(workqueue.Ready, inTime.ID, without.ID)
	x.wantState(workqueue.Processed, done.ID)
	x.wantExpired(0)
}

func expireLife(x *fixture) {
	x.define("test", []string{"brief"}, workqueue.Queue{Name: "brief", QueueLife: workqueue.QueueLife{TTL: workqueue.Duration(time.Hour)}})
	it := x.Item(ItemOpts{Queue: "brief"})
	if want := it.CreatedAt.Add(time.Hour); it.ExpiresAt == nil || !it.ExpiresAt.Equal(want) {
		x.Errorf("the item expires at %s, want %s", deref(it.ExpiresAt), want)
	}
	other := x.Item(ItemOpts{})
	if other.ExpiresAt != nil {
		x.Errorf("an item of a queue without a time to live expires at %s", other.ExpiresAt)
	}
	x.wantExpired(0)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), []int64{other.ID})
	x.wantExpired(1)
	x.wantExpiredItem(it.ID, "longer than its queue allows")
	// A clone has its own time to live.
	clone, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	if got := x.show(clone); got.ExpiresAt == nil || !got.ExpiresAt.Equal(got.CreatedAt.Add(time.Hour)) {
		x.Errorf("the clone expires at %s, want an hour after %s", deref(got.ExpiresAt), got.CreatedAt)
	}
}

func expireRunning(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s, "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, longAgo, it.ID)
	x.wantExpired(0)
	x.wantIDs("lost", x.finish(w, success(it)), nil)
	x.wantState(workqueue.Processed, it.ID)
	// An item that fails after its deadline is not retried.
	again := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, again.ID)
	x.finish(w, failure(again, workqueue.Ready))
	x.wantExpired(1)
	x.wantExpiredItem(again.ID, "deadline")
}

func expireMany(x *fixture) {
	const n = 2300
	x.overdue(n, ItemOpts{})
	x.wantExpired(n)
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), nil)
}

func expireRepeated(x *fixture) {
	for _, a := range []workqueue.Action{workqueue.Repeat, workqueue.RunNow} {
		id := x.overdue(1, ItemOpts{})[0]
		x.wantExpired(1)
		if err := Do(x.ctx, x.Store, a, id, ""); err != nil {
			x.Fatal(err)
		}
		x.wantExpired(0)
		x.runOnce(id)
	}
	// A deadline in the future is kept.
	future := x.Item(ItemOpts{Deadline: time.Now().AddDate(1, 0, 0)})
	for _, a := range []workqueue.Action{workqueue.Cancel, workqueue.Repeat} {
		if err := Do(x.ctx, x.Store, a, future.ID, ""); err != nil {
			x.Fatal(err)
		}
	}
	if got := x.show(future.ID); got.DeadlineAt == nil || !got.DeadlineAt.Equal(*future.DeadlineAt) {
		x.Errorf("the repeated item has the deadline %s, want %s", deref(got.DeadlineAt), future.DeadlineAt)
	}
}

func expireRemoves(x *fixture) {
	remove := workqueue.QueueLife{TTL: workqueue.Duration(time.Hour), OnExpiry: workqueue.ExpiryRemove}
	hide := remove
	hide.Deletion = workqueue.DeletionLogical
	x.define("test", []string{"brief", "hides"}, workqueue.Queue{
		Name: "brief", QueueLife: remove, QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue},
	}, workqueue.Queue{Name: "hides", QueueLife: hide})
	w := x.Worker(WorkerOpts{})
	keyed := x.wantNew("with a key", workqueue.NewItem{QueueName: "brief", NaturalKey: "k"})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, keyed)
	gone := []int64{keyed, x.overdue(1, ItemOpts{Queue: "brief"})[0], x.overdue(1, ItemOpts{Queue: "hides"})[0]}
	failed := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Queue: "brief"})
	end := failure(failed, workqueue.Ready)
	end.QueueName = "brief"
	x.finish(w, end)
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Queue: "brief"})
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" IN (%d, %d)`, longAgo, failed.ID, assigned.ID)
	gone = append(gone, failed.ID, assigned.ID)
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Queue: "brief"})
	done := x.Item(ItemOpts{State: workqueue.Processed, Queue: "brief"})
	cancelled := x.Item(ItemOpts{State: workqueue.Cancelled, Queue: "brief"})
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" IN (%d, %d, %d)`, longAgo, running.ID, done.ID, cancelled.ID)
	waits := x.Item(ItemOpts{Queue: "brief"})
	kept := x.overdue(1, ItemOpts{})[0]
	entry := x.lastAudit()

	x.wantExpired(6)
	x.wantExpiredItem(kept, "deadline")
	for _, id := range gone {
		if _, err := x.Store.Item(x.ctx, id); !errors.Is(err, workqueue.ErrNotFound) {
			x.Errorf("item %d: error %v, want ErrNotFound: it was removed", id, err)
		}
	}
	x.exec(0, `DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d`, failed.ID)
	x.wantState(workqueue.Blocked, running.ID)
	x.wantState(workqueue.Processed, done.ID)
	x.wantState(workqueue.Cancelled, cancelled.ID)
	x.wantState(workqueue.Ready, waits.ID)
	if x.lastAudit() != entry {
		x.Error("expired items are in the audit log, want them only in the statistics")
	}
	x.wantHappened("brief", 1, 2, 5, 0)
	x.wantHappened("hides", 0, 0, 1, 0)
	if got := counts(x.total(workqueue.SeriesParams{}))["cancelled expired"]; got != 6 {
		x.Errorf("%d items expired in the statistics over time, want 6", got)
	}
	x.wantRecount()
	x.wantNew("with the key of a removed item", workqueue.NewItem{QueueName: "brief", NaturalKey: "k"})
	x.wantExpired(0)
}

func expireRemovesMany(x *fixture) {
	x.define("test", []string{"brief"}, workqueue.Queue{Name: "brief", QueueLife: workqueue.QueueLife{OnExpiry: workqueue.ExpiryRemove}})
	const n = 1300
	x.overdue(n, ItemOpts{Queue: "brief"})
	x.wantExpired(n)
	if got := x.list(workqueue.ItemFilter{QueueName: "brief", Lifecycles: workqueue.Lifecycles(), Limit: 5}); len(got) != 0 {
		x.Errorf("the items %d are left, want none", got)
	}
	if err := x.Store.DeleteQueue(x.ctx, "brief"); err != nil {
		x.Error(err)
	}
}

func expireArchive(x *fixture) {
	x.archiveOf("small", 7)
	x.overdue(30, ItemOpts{Queue: "small"})
	x.wantExpired(30)
	if got := x.list(workqueue.ItemFilter{QueueName: "small", Limit: 100}); len(got) != 7 {
		x.Errorf("%d archived items are kept, want 7", len(got))
	}
}
