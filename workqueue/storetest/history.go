package storetest

import (
	"strings"

	"botwork/workqueue"
)

func historyTests() []test {
	return []test{
		{"a new epoch raises fences and ids", historyRaised},
		{"the database lost a heartbeat", historyBeats},
		{"the database lost a claim", historyClaims},
		{"the database lost an epoch", historyEpoch},
		{"another process has already raised the epoch", historyElsewhere},
		{"items lost for another reason", historyKept},
	}
}

// mustRaise raises the epoch.
func (x *fixture) mustRaise(reason string) workqueue.HistoryChange {
	x.Helper()
	change, err := x.Store.RaiseEpoch(x.ctx, reason)
	if err != nil {
		x.Fatal(err)
	}
	return change
}

// wantEpoch checks the epoch in the database.
func (x *fixture) wantEpoch(epoch int64, reason string) {
	x.Helper()
	got, err := x.Store.Installation(x.ctx)
	if err != nil || got.Epoch != epoch || !strings.Contains(got.Reason, reason) || (got.RaisedAt != nil) != (epoch > 0) {
		x.Errorf("the installation is %s, %v; want epoch %d and a reason with %q", asJSON(got), err, epoch, reason)
	}
}

func historyRaised(x *fixture) {
	x.wantEpoch(0, "")
	w := x.Worker(WorkerOpts{})
	x.robots(nil)
	old := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	waiting := x.Items(2, ItemOpts{})
	form := x.enqueueForms(form(500))[0]

	change := x.mustRaise("a backup was restored")
	if change.Before.Epoch != 0 || change.After.Epoch != 1 || len(change.Refused) > 0 {
		x.Errorf("change = %s, want epoch 1 after 0, and none refused", asJSON(change))
	}
	x.wantEpoch(1, "a backup was restored")
	x.wantClean("RaisedAt", change.After.RaisedAt)

	const first = workqueue.FencesOfEpoch + 1
	claimed := x.claimOne(w, waiting[0])
	selfAssigned := x.takeItems(w, workqueue.Assignment{ItemID: waiting[1], WorkerID: w.ID})[0]
	checkedOut := x.take(1).Items[0]
	if claimed.Fence != first || selfAssigned.Fence != first || checkedOut.ID != form || checkedOut.Fence != first {
		x.Errorf("fences after a claim, a self-assignment and a checkout: %d, %d, %d; want %d", claimed.Fence, selfAssigned.Fence, checkedOut.Fence, first)
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "BegunFence" = 0 WHERE "Id" = %d AND "BegunFence" = %d`, form, int64(first))
	x.wantIDs("lost by a claim from before the restore", x.finish(w, success(old)), nil)
	if next := x.Item(ItemOpts{}).ID; next < form+1_000_000 {
		x.Errorf("the next item has the id %d, want a million after %d", next, form)
	}
	if next := x.Worker(WorkerOpts{}).ID; next < w.ID+1_000_000 {
		x.Errorf("the next worker has the id %d, want a million after %d", next, w.ID)
	}

	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 0, "WorkerId" = NULL, "LeaseExpiresAt" = NULL WHERE "Id" = %d`, claimed.ID)
	if again := x.claimOne(w, claimed.ID); again.Fence != first+1 {
		x.Errorf("the second fence of the epoch is %d, want %d", again.Fence, int64(first+1))
	}
}

// historyOf sends a heartbeat and returns the history change that it reports.
func (x *fixture) historyOf(w workqueue.Worker, held ...workqueue.ItemRef) *workqueue.HistoryChange {
	x.Helper()
	return x.mustBeat(w, held...).History
}

func historyBeats(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for range 2 {
		if got := x.historyOf(w); got != nil {
			x.Errorf("a heartbeat reported %s, want nothing", asJSON(got))
		}
	}
	x.exec(1, `UPDATE "BotWorkers" SET "Beats" = "Beats" - 1`)
	if got := x.historyOf(w); got == nil || got.Before.Epoch != 0 || got.After.Epoch != 1 || got.LostClaims != 0 {
		x.Errorf("the heartbeat after a lost one reported %s, want epoch 1 after 0", asJSON(got))
	}
	if got := x.historyOf(w); got != nil {
		x.Errorf("the next heartbeat reported %s, want nothing", asJSON(got))
	}
	x.wantEpoch(1, "heartbeats")
}

func historyClaims(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.historyOf(w)
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 5, "Fence" = "Fence" - 1, "LeaseExpiresAt" = NULL WHERE "Id" = %d`, it.ID)
	got := x.mustBeat(w, ref(it))
	x.wantIDs("lost", got.Lost, []int64{it.ID})
	if got.History == nil || got.History.LostClaims != 1 || got.History.After.Epoch != 1 {
		x.Errorf("the heartbeat reported %s, want one lost claim and epoch 1", asJSON(got.History))
	}
	x.wantIDs("lost by the end of the lost claim", x.finish(w, success(it)), []int64{it.ID})
	if again := x.claim(w, 1); len(again) != 1 || again[0].Fence <= it.Fence {
		x.Errorf("claimed again %s, want it with a fence above %d", asJSON(again), it.Fence)
	}
}

func historyEpoch(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.historyOf(w)
	x.mustRaise("by hand")
	if got := x.historyOf(w); got == nil || got.After.Epoch != 1 {
		x.Errorf("the heartbeat reported %s, want epoch 1", asJSON(got))
	}
	x.exec(1, `UPDATE "BotInstallation" SET "Epoch" = 0, "RaisedAt" = NULL, "Reason" = NULL`)
	if got := x.historyOf(w); got == nil || got.Before.Epoch != 1 || got.After.Epoch != 2 {
		x.Errorf("the heartbeat reported %s, want epoch 2 after 1", asJSON(got))
	}
}

func historyElsewhere(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.historyOf(w)
	if _, err := x.Another(x.T).RaiseEpoch(x.ctx, "by another process"); err != nil {
		x.Fatal(err)
	}
	// The database also lost a heartbeat of this process, for which the epoch is already raised.
	x.exec(1, `UPDATE "BotWorkers" SET "Beats" = 0`)
	if got := x.historyOf(w); got == nil || got.Before.Epoch != 0 || got.After.Epoch != 1 || got.After.Reason != "by another process" {
		x.Errorf("the heartbeat reported %s, want the epoch of the other process", asJSON(got))
	}
	if got := x.historyOf(w); got != nil {
		x.Errorf("the next heartbeat reported %s, want nothing", asJSON(got))
	}
}

func historyKept(x *fixture) {
	w := x.Worker(WorkerOpts{})
	items := []workqueue.Item{x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = 0, "WorkerId" = NULL, "LeaseExpiresAt" = NULL WHERE "Id" = %d`, items[0].ID)
	x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, items[1].ID)
	got := x.mustBeat(w, ref(items[0]), ref(items[1]))
	if len(got.Lost) != 2 || got.History != nil {
		x.Errorf("the heartbeat lost %v and reported %s, want both items lost and nothing reported", got.Lost, asJSON(got.History))
	}
	x.wantEpoch(0, "")
}
