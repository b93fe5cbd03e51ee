package check_test

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// waitingSince inserts a waiting item that was created and due at a time before now.
func (x *checked) waitingSince(priority int, ago time.Duration) int64 {
	x.Helper()
	id := x.insert()
	at := x.when(-ago)
	x.set(id, `Priority = %d, AvailableAt = `+at+`, CreatedAt = `+at, priority)
	return id
}

// idleSince registers an active worker that has been idle for a long time.
func (x *checked) idleSince(name string, ago time.Duration) workqueue.Worker {
	x.Helper()
	w := x.Worker(storetest.WorkerOpts{Name: name})
	x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s WHERE "Id" = %d`, x.when(-ago), w.ID)
	return w
}

func TestCheckOverdueWithoutWorkers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.waitingSince(1000, 9*time.Minute)
		x.waitingSince(499, 4*time.Hour)
		x.wantClean() // not due for long enough
		id := x.waitingSince(500, 11*time.Minute)
		const found = "priority 500, due since"
		x.wantOne(workqueue.CheckOverdue, subjectOf(id), found)
		x.params.DueFor = 20 * time.Minute
		x.wantClean()
		x.params.DueFor = 0

		for _, tt := range []struct {
			name, explained, back string
		}{
			{"not due", `AvailableAt = ` + farAway, `AvailableAt = ` + x.when(-11*time.Minute)},
			{"just created", `CreatedAt = ` + x.when(0), `CreatedAt = ` + longAgo},
			{"deleted", `DeletedAt = ` + longAgo, `DeletedAt = NULL`},
			{"no longer waiting", `State = 2, FinishedAt = ` + longAgo, `State = 0, FinishedAt = NULL`},
		} {
			t.Run(tt.name, func(t *testing.T) {
				x.T = t
				x.set(id, tt.explained)
				x.wantClean()
				x.set(id, tt.back)
				x.wantOne(workqueue.CheckOverdue, subjectOf(id), found)
			})
		}
		x.T = t
		x.exec(`UPDATE "BotQueues" SET "Paused" = '1'`)
		x.wantClean()
		x.exec(`UPDATE "BotQueues" SET "Paused" = '0', "RateLimit" = 1, "RatePeriodMs" = 1000`)
		x.wantClean() // it may wait for the rate limit
		x.exec(`UPDATE "BotQueues" SET "RateLimit" = NULL, "RatePeriodMs" = NULL`)
		x.attempt(id, 0, "rescued", x.when(-time.Minute))
		x.wantClean() // it was just released
		x.exec(`DELETE FROM "BotWorkItemAttempts"`)

		// A worker that has just left has released its items.
		w := x.idleSince("left", time.Hour)
		x.exec(`UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Id" = %d`, w.ID)
		x.wantClean()
		x.exec(`UPDATE "BotWorkers" SET "LastSeenAt" = %s WHERE "Id" = %d`, x.when(-11*time.Minute), w.ID)
		x.wantOne(workqueue.CheckOverdue, subjectOf(id), "no worker is active")
		// One that died without notice counts as live until its lease ends.
		x.exec(`UPDATE "BotWorkers" SET "State" = 'active', "LeaseExpiresAt" = %s WHERE "Id" = %d`, x.when(-9*time.Minute), w.ID)
		x.wantClean()
		low := x.waitingSince(499, 5*time.Hour)
		x.exec(`DELETE FROM "BotWorkers"`)
		x.set(id, `State = 3, FinishedAt = `+longAgo)
		x.wantOne(workqueue.CheckOverdue, subjectOf(low), "priority 499")
	})
}

func TestCheckOverdueBesideAnIdleWorker(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		id := x.waitingSince(2000, time.Hour)
		low := x.waitingSince(10, 10*time.Hour)
		x.set(low, `State = 3, FinishedAt = `+longAgo)
		w := x.idleSince("idle", 30*time.Minute)
		const found = "although the worker idle is active, holds nothing, and has done nothing since"
		x.wantOne(workqueue.CheckOverdue, subjectOf(id), found)

		// The worker has just started, or all its slots are stuck: that explains why the item waits.
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s`, x.when(-9*time.Minute))
		x.wantClean()
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s, "StuckSlots" = 4`, x.when(-time.Hour))
		x.wantClean()
		x.exec(`UPDATE "BotWorkers" SET "StuckSlots" = 3`)
		x.wantOne(workqueue.CheckOverdue, subjectOf(id), found)

		// It holds an item of the band: no pass assigns it another, whatever the priority.
		held := x.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 500})
		x.wantClean()
		// An item of low priority is no reason, but it was just assigned.
		x.set(held.ID, `Priority = 499`)
		x.wantClean()
		x.set(held.ID, `AssignedAt = `+x.when(-11*time.Minute))
		x.wantOne(workqueue.CheckOverdue, subjectOf(id), "holds nothing of priority 500 or more")
		// For low items it is a reason: passes assign those only to workers that hold nothing.
		x.set(low, `State = 0, FinishedAt = NULL`)
		x.set(id, `State = 3, FinishedAt = `+longAgo)
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s`, longAgo)
		x.wantClean()
		x.set(held.ID, `State = 3, FinishedAt = `+x.when(-4*time.Hour)+`, AssignedAt = `+longAgo)
		x.wantClean() // four hours and ten minutes have not passed
		x.set(held.ID, `FinishedAt = `+x.when(-5*time.Hour))
		x.wantOne(workqueue.CheckOverdue, subjectOf(low), "priority 10, due since")

		// A second worker that did something does not explain why the first is idle.
		other := x.Worker(storetest.WorkerOpts{Name: "other"})
		x.Item(storetest.ItemOpts{State: workqueue.Processed, Worker: other, Priority: 950})
		x.wantOne(workqueue.CheckOverdue, subjectOf(low), "the worker idle")
		report := x.check()
		if w := report.Violations[0].Worker; w == nil || *w != "idle" || !strings.Contains(report.Violations[0].Hint, "AssignTasksToWorker") {
			t.Errorf("violation = %+v, want the worker and a hint", report.Violations[0])
		}
	})
}
