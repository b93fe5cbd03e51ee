package check_test

import (
	"fmt"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// An item that a robot has taken runs without a worker, and an item in a queue for robots does
// not wait for a worker.
func TestCheckOfRobots(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.exec(`INSERT INTO "BotQueues" ("Name") VALUES ('forms')`)
		w := x.Worker(storetest.WorkerOpts{})
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
		waits := x.Item(storetest.ItemOpts{Queue: "forms"}).ID
		x.set(waits, `AvailableAt = `+longAgo+`, CreatedAt = `+longAgo)
		it := x.Item(storetest.ItemOpts{Queue: "forms", State: workqueue.Blocked, Worker: w}).ID
		x.exec(`UPDATE "BotQueues" SET "Consumer" = 'robots' WHERE "Name" = 'forms'`)
		x.set(it, `WorkerId = NULL, Robot = 'r1'`)
		x.wantClean()

		x.set(it, `LeaseExpiresAt = `+x.when(-time.Minute))
		x.wantClean() // a pass will soon release it
		x.set(it, `LeaseExpiresAt = `+x.when(-6*time.Minute))
		x.wantOne(workqueue.CheckLostItem, subjectOf(it), `running on the robot "r1", but its lease ended at`)
		x.set(it, `LeaseExpiresAt = `+farAway)
		x.wantOne(workqueue.CheckLostItem, subjectOf(it), "more than a day in the future")
		x.set(it, `LeaseExpiresAt = NULL, StartedAt = `+longAgo)
		x.wantOne(workqueue.CheckLostItem, subjectOf(it), "without a lease")
		x.set(it, `LeaseExpiresAt = `+x.when(time.Minute)+`, Robot = NULL`)
		x.wantOne(workqueue.CheckItemState, subjectOf(it), "WorkerId NULL")
		x.set(it, `State = 0, LeaseExpiresAt = NULL`)
		x.wantClean()

		// Without a pipeline, the limit of the queue or the default applies.
		x.set(it, `IntegrationConfig = '', RetryCount = 3, Error = 'x', AvailableAt = `+farAway)
		x.wantOne(workqueue.CheckAttemptLimit, subjectOf(it), "Ready with 3 failed attempts")
		x.exec(`UPDATE "BotQueues" SET "ResilienceConfig" = '{"limit":4}' WHERE "Name" = 'forms'`)
		x.wantClean()
		x.set(it, `RetryCount = 0`)

		x.exec(`UPDATE "BotQueues" SET "Consumer" = 'workers' WHERE "Name" = 'forms'`)
		report := x.check()
		if len(report.Violations) != 1 || report.Violations[0].Check != workqueue.CheckOverdue || report.Violations[0].Subject() != subjectOf(waits) {
			t.Errorf("violations of a queue for workers are %v, want item %d to be overdue", fmt.Sprint(report.Violations), waits)
		}
	})
}
