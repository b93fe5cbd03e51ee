package storetest

import (
	"errors"

	"botwork/workqueue"
)

func (x *fixture) recount() []workqueue.StatisticsCorrection {
	x.Helper()
	corrections, err := x.Store.RecountStatistics(x.ctx, nil)
	if err != nil {
		x.Fatal(err)
	}
	return corrections
}

func statRecount(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for range 3 {
		x.Item(ItemOpts{State: workqueue.Processed, Worker: w})
	}
	deleted := x.Item(ItemOpts{State: workqueue.Cancelled, Worker: w})
	if got := x.recount(); len(got) != 0 {
		x.Errorf("a recount corrected %s, want none", asJSON(got))
	}
	x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, deleted.ID)
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "State" = 2`, longAgo)
	x.exec(2, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "FinishedAt") VALUES ('Work', 2, %s), ('Work', 2, %[1]s)`, longAgo)
	if q := x.stats(workqueue.DefaultQueue); q.Items[workqueue.LifeCompleted] != 3 || q.Items[workqueue.LifeArchived] != 1 {
		x.Errorf("before a recount the counts are %s, want them unchanged", asJSON(q.Items))
	}
	before := x.stats(workqueue.DefaultQueue)
	var done, of int64
	got, err := x.Store.RecountStatistics(x.ctx, func(d, o int64) { done, of = d, o })
	want := []workqueue.StatisticsCorrection{
		{Queue: workqueue.DefaultQueue, Lifecycle: workqueue.LifeArchived, Kept: 1},
		{Queue: workqueue.DefaultQueue, Lifecycle: workqueue.LifeCompleted, Kept: 3, Counted: 2},
		{Queue: workqueue.DefaultQueue, Lifecycle: workqueue.LifeDeleted, Counted: 3},
	}
	if err != nil || asJSON(got) != asJSON(want) {
		x.Errorf("RecountStatistics = %s, %v, want %s", asJSON(got), err, asJSON(want))
	}
	if done == 0 || done != of {
		x.Errorf("the last progress was %d of %d, want them equal", done, of)
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
	// The counts of events do not change.
	after := day(x.stats(workqueue.DefaultQueue))
	if was := day(before); after.Completed != was.Completed || after.Archived != was.Archived || after.Failed != was.Failed || after.Deleted != was.Deleted {
		x.Errorf("the recount changed the counts of events: %s, were %s", asJSON(after), asJSON(was))
	}
	if got := x.recount(); len(got) != 0 {
		x.Errorf("a second recount corrected %s, want none", asJSON(got))
	}
}

// If another recount ends while this one is counting, it has already corrected the
// differences that this one finds.
func statRecounts(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for range 3 {
		x.Item(ItemOpts{State: workqueue.Processed, Worker: w})
	}
	x.exec(3, `DELETE FROM "BotWorkQueueItems" WHERE "State" = 2`)
	x.Item(ItemOpts{}) // so that a recount has items to count
	other := x.Another(x.T)
	var first []workqueue.StatisticsCorrection
	var firstErr error
	second, err := x.Store.RecountStatistics(x.ctx, func(_, _ int64) {
		first, firstErr = other.RecountStatistics(x.ctx, nil)
	})
	if firstErr != nil || len(first) != 1 {
		x.Errorf("the recount that ended first corrected %s, %v, want one count", asJSON(first), firstErr)
	}
	if !errors.Is(err, workqueue.ErrRecounted) || len(second) != 0 {
		x.Errorf("the other one corrected %s, %v, want none and ErrRecounted", asJSON(second), err)
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}
