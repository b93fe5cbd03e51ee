package check_test

import (
	"fmt"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// broken is one violation, made by hand in a database with correct rows of every kind. make
// returns the subject of the violation and a function that fixes it.
type broken struct {
	name, check, found string
	make               func(x *checked) (subject string, fix func())
}

// ofItem breaks a new item of a state by setting columns, and fixes it by setting other
// columns.
func ofItem(state workqueue.State, wrong, right string) func(*checked) (string, func()) {
	return func(x *checked) (string, func()) {
		it := x.Item(storetest.ItemOpts{State: state, Priority: 950})
		x.set(it.ID, wrong)
		return subjectOf(it.ID), func() { x.set(it.ID, right) }
	}
}

// later is ofItem with a time relative to the database's clock in its columns.
func later(ahead time.Duration, columns string, state workqueue.State, right string) func(*checked) (string, func()) {
	return func(x *checked) (string, func()) {
		return ofItem(state, fmt.Sprintf(columns, x.when(ahead)), right)(x)
	}
}

var brokenItems = []broken{
	{"no such state", workqueue.CheckItemState, "State is 9", ofItem(workqueue.Ready, `State = 9`, `State = 0`)},
	{"below all states", workqueue.CheckItemState, "State is -1", ofItem(workqueue.Ready, `State = -1`, `State = 3, FinishedAt = `+longAgo)},
	{"no such queue", workqueue.CheckItemState, `"nowhere", which does not exist`, ofItem(workqueue.Ready, `QueueName = 'nowhere'`, `QueueName = 'default'`)},
	{"negative count", workqueue.CheckItemState, "RetryCount -1", ofItem(workqueue.Processed, `RetryCount = -1`, `RetryCount = 0`)},
	{"negative fence", workqueue.CheckItemState, "Fence -5", ofItem(workqueue.Pending, `Fence = -5`, `Fence = 0`)},
	{"waiting under a lease", workqueue.CheckItemState, "State is 0 (Ready), LeaseExpiresAt 2099", ofItem(workqueue.Ready, `LeaseExpiresAt = `+farAway, `LeaseExpiresAt = NULL`)},
	{"set to waiting while it ran", workqueue.CheckItemState, "State is 0 (Ready)", ofItem(workqueue.Blocked, `State = 0`, `LeaseExpiresAt = NULL`)},
	{"running without a worker", workqueue.CheckItemState, "WorkerId NULL", ofItem(workqueue.Blocked, `WorkerId = NULL`, `State = 0, LeaseExpiresAt = NULL`)},
	{"running without a start", workqueue.CheckItemState, "StartedAt NULL", ofItem(workqueue.Blocked, `StartedAt = NULL`, `State = 0, LeaseExpiresAt = NULL`)},
	{"running without a claim", workqueue.CheckItemState, "Fence 0", ofItem(workqueue.Blocked, `Fence = 0`, `Fence = 1`)},
	{"running by hand", workqueue.CheckItemState, "WorkerId NULL, StartedAt NULL, Fence 0", ofItem(workqueue.Pending, `State = 1`, `State = 4`)},
	{"assigned without a worker", workqueue.CheckItemState, "WorkerId NULL", ofItem(workqueue.Assigned, `WorkerId = NULL`, `State = 0`)},
	{"assigned without a time", workqueue.CheckItemState, "AssignedAt NULL", ofItem(workqueue.Assigned, `AssignedAt = NULL`, `State = 0`)},
	{"finished under a lease", workqueue.CheckItemState, "LeaseExpiresAt 2001", ofItem(workqueue.Processed, `LeaseExpiresAt = `+longAgo, `LeaseExpiresAt = NULL`)},
	{"cancelled without a time", workqueue.CheckItemState, "FinishedAt NULL", ofItem(workqueue.Cancelled, `FinishedAt = NULL`, `FinishedAt = `+farAway)},

	{"running on a missing worker", workqueue.CheckLostItem, "WorkerId 4711, does not exist", ofItem(workqueue.Blocked, `WorkerId = 4711`, `State = 0, LeaseExpiresAt = NULL`)},
	{"assigned to a missing worker", workqueue.CheckLostItem, "WorkerId 4711, does not exist", ofItem(workqueue.Assigned, `WorkerId = 4711`, `State = 0`)},
	{"the lease ended long ago", workqueue.CheckLostItem, "its lease ended at", later(-6*time.Minute, `LeaseExpiresAt = %s`, workqueue.Blocked, `State = 0`)},
	{"the lease ends in years", workqueue.CheckLostItem, "more than a day in the future", ofItem(workqueue.Blocked, `LeaseExpiresAt = `+farAway, `State = 0, LeaseExpiresAt = NULL`)},
	{"without a lease for a long time", workqueue.CheckLostItem, "without a lease", func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{})
		it := x.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 950})
		x.set(it.ID, `LeaseExpiresAt = NULL, StartedAt = `+longAgo)
		x.wantClean() // its worker has just restarted: the next pass releases it
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
		return subjectOf(it.ID), func() { x.set(it.ID, `State = 0`) }
	}},
	{"the worker stopped long ago", workqueue.CheckLostItem, "is stopped", func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{})
		it := x.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 950})
		x.exec(`UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = %d`, w.ID)
		x.wantClean() // it stopped just now: the lease ends soon
		x.exec(`UPDATE "BotWorkers" SET "LastSeenAt" = %s WHERE "Id" = %d`, x.when(-6*time.Minute), w.ID)
		return subjectOf(it.ID), func() { x.set(it.ID, `State = 0, LeaseExpiresAt = NULL`) }
	}},
	{"assigned to a worker that stopped long ago", workqueue.CheckLostItem, "is active and was last seen at 2001", func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{})
		it := x.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 950})
		x.exec(`UPDATE "BotWorkers" SET "LastSeenAt" = %s, "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, longAgo, w.ID)
		x.wantClean() // it was just assigned: a pass releases it
		x.set(it.ID, `AssignedAt = `+longAgo)
		return subjectOf(it.ID), func() { x.set(it.ID, `State = 0, WorkerId = NULL`) }
	}},

	{"two ends of one claim", workqueue.CheckEndedTwice, "2 attempts under fence 1 (failed, rescued)", func(x *checked) (string, func()) {
		it := x.Item(storetest.ItemOpts{State: workqueue.Cancelled})
		x.attempt(it.ID, 1, "rescued", longAgo)
		return subjectOf(it.ID), func() {
			x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d AND "Outcome" = 'rescued'`, it.ID)
		}
	}},
	{"success and failure of one claim", workqueue.CheckEndedTwice, "Processed under fence 1, under which an attempt timed out", func(x *checked) (string, func()) {
		it := x.Item(storetest.ItemOpts{State: workqueue.Processed})
		x.attempt(it.ID, 1, "timeout", longAgo)
		return subjectOf(it.ID), func() { x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d`, it.ID) }
	}},
	{"running under an ended claim", workqueue.CheckEndedTwice, "running under fence 1, under which an attempt ended (released) already", func(x *checked) (string, func()) {
		it := x.Item(storetest.ItemOpts{State: workqueue.Blocked, Priority: 950})
		x.attempt(it.ID, 1, "released", longAgo)
		return subjectOf(it.ID), func() { x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d`, it.ID) }
	}},
	{"a fence that was lowered", workqueue.CheckEndedTwice, "under fence 1, but the item's fence is 0", ofItem(workqueue.Cancelled, `Fence = 0`, `Fence = 1`)},
	{"attempts of a missing item", workqueue.CheckEndedTwice, "an item that does not exist", func(x *checked) (string, func()) {
		x.attempt(990001, 3, "failed", longAgo)
		x.attempt(990001, 4, "failed", longAgo)
		return "item 990001", func() { x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = 990001`) }
	}},

	{"inserted by hand as assigned", workqueue.CheckByHand, "inserted by hand as assigned at 2001-01-01T00:00:00Z, and no pass has applied the policies of its queue \"default\"", func(x *checked) (string, func()) {
		it := x.Item(storetest.ItemOpts{State: workqueue.Assigned, Priority: 950})
		x.set(it.ID, `PoliciesApplied = `+x.truth(false)+`, Fence = 0`)
		x.wantClean() // it is new
		x.set(it.ID, `CreatedAt = `+longAgo)
		return subjectOf(it.ID), func() { x.set(it.ID, `PoliciesApplied = `+x.truth(true)) }
	}},
	{"a natural key twice", workqueue.CheckByHand, `the natural key "by-hand-1", which item`, func(x *checked) (string, func()) {
		x.exec(`INSERT INTO "BotQueues" ("Name", "KeyScope") VALUES ('byhand', 'queue')`)
		first := x.Item(storetest.ItemOpts{In: time.Hour})
		x.set(first.ID, `QueueName = 'byhand', NaturalKey = 'by-hand-1', UniqueKey = 'by-hand-1'`)
		second := x.Item(storetest.ItemOpts{In: time.Hour})
		x.set(second.ID, `QueueName = 'byhand', NaturalKey = 'by-hand-1'`)
		x.wantClean() // it is new
		x.set(second.ID, `CreatedAt = `+longAgo)
		return subjectOf(second.ID), func() {
			x.exec(`DELETE FROM "BotWorkQueueItems" WHERE "QueueName" = 'byhand'`)
			x.exec(`DELETE FROM "BotQueues" WHERE "Name" = 'byhand'`)
		}
	}},

	{"unknown state of a worker", workqueue.CheckWorker, `State is "asleep"`, func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{Name: "sleeper"})
		x.exec(`UPDATE "BotWorkers" SET "State" = 'asleep' WHERE "Id" = %d`, w.ID)
		return "worker sleeper", func() { x.exec(`UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = %d`, w.ID) }
	}},
	{"a worker's lease of years", workqueue.CheckWorker, "more than a day in the future", func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{Name: "eternal"})
		x.exec(`UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, farAway, w.ID)
		return "worker eternal", func() { x.exec(`UPDATE "BotWorkers" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, w.ID) }
	}},

	{"one instant ran on two workers", workqueue.CheckFiredTwice, "ran one planned instant", func(x *checked) (string, func()) {
		id := x.run("nightly", longAgo, 2, "failed", "'the process died, or lost the database'")
		return "schedule nightly, planned for 2001-01-01T00:00:00Z", func() { x.exec(`DELETE FROM "BotPipelineRuns" WHERE "Id" = %d`, id) }
	}},
	{"one instant ran twice on one worker", workqueue.CheckFiredTwice, "ran one planned instant", func(x *checked) (string, func()) {
		id := x.run("weekly", longAgo, 1, "failed", "'no such file'")
		return "schedule weekly, planned for 2001-01-01T00:00:00Z", func() { x.exec(`DELETE FROM "BotPipelineRuns" WHERE "Id" = %d`, id) }
	}},
	{"a missed instant ran", workqueue.CheckFiredTwice, "recorded as missed", func(x *checked) (string, func()) {
		id := x.run("nightly", farAway, 1, "running", "NULL")
		return "schedule nightly, planned for 2099-01-01T00:00:00Z", func() { x.exec(`DELETE FROM "BotPipelineRuns" WHERE "Id" = %d`, id) }
	}},

	// Last, because on SQLite these tables are recreated without their keys.
	{"two records of one instant", workqueue.CheckFiredTwice, "2 records of one planned instant (fired, missed)", func(x *checked) (string, func()) {
		x.dropUnique("BotScheduleFirings", "UQ_BotScheduleFirings_Instant")
		x.firing("nightly", longAgo, "", "missed")
		return "schedule nightly, planned for 2001-01-01T00:00:00Z", func() {
			x.exec(`DELETE FROM "BotScheduleFirings" WHERE "Schedule" = 'nightly' AND "Outcome" = 'missed' AND "PlannedAt" = ` + longAgo)
		}
	}},
	{"two workers with the same name", workqueue.CheckWorker, "two workers with the same name", func(x *checked) (string, func()) {
		w := x.Worker(storetest.WorkerOpts{Name: "twin"})
		other := x.Worker(storetest.WorkerOpts{Name: "other"})
		x.dropUnique("BotWorkers", "UQ_BotWorkers_Name")
		x.exec(`UPDATE "BotWorkers" SET "Name" = 'twin' WHERE "Id" = %d`, other.ID)
		return "worker twin", func() { x.exec(`UPDATE "BotWorkers" SET "Name" = 'other' WHERE "Id" = %d`, w.ID) }
	}},
}

// TestCheckReportsEachViolation checks that each violation is reported once among correct rows,
// and not any more after it was fixed as its hint says.
func TestCheckReportsEachViolation(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		everyKind(x)
		x.free()
		x.wantClean()
		for _, b := range brokenItems {
			t.Run(b.name, func(t *testing.T) {
				x.T = t
				subject, fix := b.make(x)
				x.wantOne(b.check, subject, b.found)
				fix()
				x.wantClean()
			})
		}
	})
}
