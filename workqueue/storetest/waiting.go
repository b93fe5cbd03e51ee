package storetest

import (
	"time"

	"botwork/workqueue"
)

func waitsTests() []test {
	return []test{
		{"due items of the band", waitsDue},
		{"items that no pass assigns", waitsNothing},
	}
}

// wantWaits checks whether an item of the band waits, with Waits and with Ready.
func (x *fixture) wantWaits(want bool, band workqueue.Band, of string) {
	x.Helper()
	ready := workqueue.NothingReady
	if want {
		ready = workqueue.ItemsWait
	}
	x.wantReady(ready, 0, band, of)
	if got, err := x.Store.Waits(x.ctx, band); err != nil || got != want {
		x.Errorf("%s: Waits(%v) = %t, %v, want %t", of, band, got, err, want)
	}
}

func waitsDue(x *fixture) {
	above := workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}
	x.wantWaits(false, workqueue.EveryPriority, "an empty store")
	x.Item(ItemOpts{State: workqueue.Ready, Priority: 1000})
	x.wantWaits(false, above, "an item below the band")
	x.wantWaits(true, workqueue.EveryPriority, "an item of the band")
	for _, state := range []workqueue.State{workqueue.Ready, workqueue.Pending} {
		for _, deadline := range []time.Time{{}, time.Now().Add(time.Hour)} {
			it := x.Item(ItemOpts{State: state, Priority: 1001, Deadline: deadline})
			x.wantWaits(true, above, "a waiting item")
			x.wantWaits(false, workqueue.Band{Min: 1002, Max: 5000}, "an item below the band")
			x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, it.ID)
		}
	}
}

func waitsNothing(x *fixture) {
	worker := x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Blocked, Worker: worker})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Worker: worker})
	// Another worker's item that was assigned a second ago would be work.
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = `+farAway+` WHERE "Id" = %d`, assigned.ID)
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		x.Item(ItemOpts{State: state})
	}
	x.wantWaits(false, workqueue.EveryPriority, "no waiting items")
	for _, change := range []string{
		`"AvailableAt" = ` + farAway, `"DeadlineAt" = ` + longAgo, `"ExpiresAt" = ` + longAgo, `"DeletedAt" = ` + longAgo,
	} {
		it := x.Item(ItemOpts{State: workqueue.Ready})
		x.wantWaits(true, workqueue.EveryPriority, "before "+change)
		x.exec(1, `UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, change, it.ID)
		x.wantWaits(false, workqueue.EveryPriority, change)
	}
	x.Item(ItemOpts{State: workqueue.Ready})
	if _, err := x.Store.PauseQueue(x.ctx, "default"); err != nil {
		x.Fatal(err)
	}
	x.wantWaits(false, workqueue.EveryPriority, "a paused queue")
}
