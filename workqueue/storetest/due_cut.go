package storetest

import (
	"time"

	"botwork/workqueue"
)

// A limit cuts off the items with the latest deadlines. Here the ids are in the opposite
// order, so that a statement that sorts by id alone cuts off the wrong items.
func dueLimitDeadlines(x *fixture) {
	const n = 6
	soon := time.Now().Add(time.Hour)
	want := make([]int64, n)
	for i := n - 1; i >= 0; i-- { // the latest deadline first
		want[i] = x.Item(ItemOpts{Deadline: soon.Add(time.Duration(i) * time.Hour)}).ID
	}
	for limit := 1; limit <= n; limit++ {
		x.wantIDs("due items", x.due(workqueue.EveryPriority, limit), want[:limit])
	}
}

// Items that were scheduled for later are read through another index, and cut off in the
// same order; those without a deadline come last.
func dueLimitScheduled(x *fixture) {
	const n = 5
	soon := time.Now().Add(2 * time.Hour)
	want := make([]int64, n+1)
	want[n] = x.Item(ItemOpts{In: time.Hour}).ID
	for i := n - 1; i >= 0; i-- {
		want[i] = x.Item(ItemOpts{In: time.Hour, Deadline: soon.Add(time.Duration(i) * time.Hour)}).ID
	}
	x.exec(n+1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s`, longAgo)
	for limit := 1; limit <= n+1; limit++ {
		x.wantIDs("due items", x.due(workqueue.EveryPriority, limit), want[:limit])
	}
}
