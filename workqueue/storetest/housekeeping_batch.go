package storetest

import (
	"fmt"

	"botwork/workqueue"
)

func housekeepBatch(x *fixture) {
	s := x.cleaned()
	x.row("x", "default", `"State" = 2`, `"FinishedAt" = `+longAgo)
	x.several(1<<10, `"IntegrationConfig", "State", "FinishedAt"`)
	for _, c := range []struct{ limit, want int }{{3, 3}, {0, 500}, {1 << 20, 500}, {0, 21}, {0, 0}} {
		n, err := s.RemoveCompleted(x.ctx, days(1), c.limit)
		x.wantRemoved(n, err, c.want)
	}
}

// housekeepAttempts: attempts are deleted with their items, and each one locks a row.
func housekeepAttempts(x *fixture) {
	s := x.cleaned()
	for i := range 4 {
		x.row(fmt.Sprint(i), "default", `"State" = 3`, `"FinishedAt" = `+longAgo)
	}
	x.exec(4, `INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome") SELECT "Id", 1, 1, 'failed' FROM "BotWorkQueueItems"`)
	for have := int64(4); have < 4<<10; have *= 2 {
		x.exec(have, `INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome") SELECT "ItemId", 1, 1, 'failed' FROM "BotWorkItemAttempts"`)
	}
	n, err := s.RemoveArchived(x.ctx, days(1), 0)
	x.wantRemoved(n, err, 1) // a thousand attempts each, and 2,000 at a time
	x.wantLeft("1", "2", "3")
	x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = '1'`)
	if total := x.drainBatches(1, func() (int, error) { return s.RemoveArchived(x.ctx, days(1), 0) }); total != 2 {
		x.Errorf("%d items were removed, want 2", total)
	}
	x.exec(0, `DELETE FROM "BotWorkItemAttempts"`)
}

// housekeepAll cleans up with several processes at the same time.
func housekeepAll(x *fixture) {
	x.defineThese(workqueue.Queue{Name: "hides", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	var kept []workqueue.Item
	for _, state := range workqueue.States() {
		kept = append(kept, x.Item(ItemOpts{State: state, Queue: "hides"}))
	}
	hidden := x.Item(ItemOpts{State: workqueue.Cancelled, Queue: "hides"})
	if _, err := x.Store.ChangeItem(x.ctx, hidden.ID, workqueue.Change{Action: workqueue.Delete}); err != nil {
		x.Fatal(err)
	}
	kept = append(kept, x.show(hidden.ID))
	for range 40 {
		x.row("completed", "default", `"State" = 2`, `"FinishedAt" = `+longAgo)
		x.row("retained", "default", `"State" = 2`, `"RetainUntil" = `+longAgo)
		x.row("archived", "default", `"State" = 3`, `"FinishedAt" = `+longAgo)
		x.row("deleted", "default", `"State" = 3`, `"DeletedAt" = `+longAgo)
	}
	x.exec(160, `INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome")
		SELECT "Id", 1, 1, 'failed' FROM "BotWorkQueueItems" WHERE "QueueName" = 'default'`)
	x.recount()
	p := workqueue.CleanUpParams{
		Completed: days(30), Archived: days(90), ArchivedItems: new(10_000), Deleted: days(30),
		Firings: days(90), Runs: days(30), Workers: days(30), Batch: 7,
	}
	type outcome struct {
		r   workqueue.CleanUpResult
		err error
	}
	outcomes := make(chan outcome)
	const processes = 3
	for range processes {
		other := x.Another(x.T)
		go func() {
			r, err := workqueue.CleanUp(x.ctx, other, p)
			outcomes <- outcome{r, err}
		}()
	}
	var sum workqueue.CleanUpResult
	for range processes {
		o := <-outcomes
		if o.err != nil {
			x.Error(o.err)
		}
		sum.Completed, sum.Archived, sum.Deleted = sum.Completed+o.r.Completed, sum.Archived+o.r.Archived, sum.Deleted+o.r.Deleted
	}
	// The next clean-up removes the items that another process has just locked.
	last, err := workqueue.CleanUp(x.ctx, x.Store, p)
	if err != nil || !last.Complete {
		x.Errorf("CleanUp = %+v, %v, want it complete", last, err)
	}
	sum.Completed, sum.Archived, sum.Deleted = sum.Completed+last.Completed, sum.Archived+last.Archived, sum.Deleted+last.Deleted
	if want := (workqueue.CleanUpResult{Completed: 80, Archived: 40, Deleted: 40}); sum != want {
		x.Errorf("removed %+v in total, want %+v", sum, want)
	}
	for _, it := range kept {
		x.wantSame(it)
	}
	if n := len(x.left()); n != len(kept) {
		x.Errorf("%d items remain, want %d", n, len(kept))
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}
