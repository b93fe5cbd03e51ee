package storetest

import (
	"errors"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/plan"
)

func isNotFound(err error) bool { return errors.Is(err, workqueue.ErrNotFound) }

// whyStates are items that do not wait, or that a worker or a robot holds.
func whyStates() []whyCase {
	return []whyCase{
		{
			name: "deleted", kind: assign.WhyDeleted, text: `it was deleted at TIME: no longer needed`,
			make: func(x *fixture) int64 {
				x.makeQueue("kept", `"Deletion"`, "'logical'")
				id := x.Item(ItemOpts{Queue: "kept"}).ID
				if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.Delete, Reason: "no longer needed"}); err != nil {
					x.Fatal(err)
				}
				return id
			},
		},
		{
			name: "completed", kind: assign.WhyCompleted, text: `it succeeded at TIME`,
			make: func(x *fixture) int64 { return x.Item(ItemOpts{State: workqueue.Processed}).ID },
		},
		{
			name: "cancelled", kind: assign.WhyCancelled, text: `it was cancelled at TIME \(permanent\): made to fail`,
			make: func(x *fixture) int64 { return x.Item(ItemOpts{State: workqueue.Cancelled}).ID },
		},
		{
			name: "running", kind: assign.WhyRunning, text: `it is running on worker "a", started at TIME`,
			make: func(x *fixture) int64 {
				return x.Item(ItemOpts{State: workqueue.Blocked, Worker: x.whyWorker("a", 1, nil)}).ID
			},
		},
		{
			name: "running on a worker without heartbeats", kind: assign.WhySilent,
			text: `it is running on worker "a", started at TIME, but that worker has not sent a heartbeat for SPAN; its lease expires at TIME \(in SPAN\)`,
			make: func(x *fixture) int64 {
				id := x.Item(ItemOpts{State: workqueue.Blocked, Worker: x.whyWorker("a", 1, nil)}).ID
				x.exec(1, `UPDATE "BotWorkers" SET "StartedAt" = %s, "LastSeenAt" = %s, "LeaseExpiresAt" = %s`,
					sqlAgo(2*time.Hour), sqlAgo(48*time.Second), sqlAgo(-12*time.Second))
				return id
			},
		},
		{
			name: "its lease has expired", kind: assign.WhyLeaseOver,
			text: `it was running on worker "a", started at TIME, but its lease expired at TIME`,
			make: func(x *fixture) int64 {
				id := x.Item(ItemOpts{State: workqueue.Blocked, Worker: x.whyWorker("a", 1, nil)}).ID
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
				return id
			},
			fix: func(*fixture, int64) {}, // the next pass releases it, and assigns it again
			more: func(x *fixture, r assign.Reason) {
				if r.Pipeline != "Soon" || r.At == nil {
					x.Errorf("reason %+v, want the next pass of Soon", r)
				}
			},
		},
		{
			name: "assigned to a stopped worker", kind: assign.WhyStranded, text: `it is assigned to worker "a", which is stopped`,
			make: func(x *fixture) int64 {
				x.whyWorker("b", 1, nil)
				id := x.Item(ItemOpts{State: workqueue.Assigned, Worker: x.whyWorker("a", 1, nil)}).ID
				x.exec(1, `UPDATE "BotWorkers" SET "State" = 'stopped' WHERE "Name" = 'a'`)
				return id
			},
			fix: func(*fixture, int64) {},
		},
		{
			name: "assigned to a worker without heartbeats", kind: assign.WhySilent,
			text: `it is assigned to worker "a", which has not sent a heartbeat for SPAN; the worker's lease expires at TIME \(in SPAN\)`,
			make: func(x *fixture) int64 {
				id := x.Item(ItemOpts{State: workqueue.Assigned, Worker: x.whyWorker("a", 1, nil)}).ID
				x.exec(1, `UPDATE "BotWorkers" SET "LastSeenAt" = %s, "LeaseExpiresAt" = %s`, sqlAgo(48*time.Second), sqlAgo(-12*time.Second))
				return id
			},
		},
		{
			name: "assigned to a busy worker", kind: assign.WhyAssigned,
			text: `it is assigned to worker "a", which is running 1 item and has 1 slot; the most urgent of them is item \d+ of priority 1500; on this worker 2 items go first`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, nil)
				x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 1500, Estimate: 2 * time.Minute})
				x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 900, Estimate: time.Minute})
				x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 600})
				return x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 700}).ID
			},
			more: func(x *fixture, r assign.Reason) {
				if r.Ahead != 2 || r.ExpectedAt == nil || time.Until(*r.ExpectedAt) < 3*time.Minute+30*time.Second || time.Until(*r.ExpectedAt) > 4*time.Minute+time.Second ||
					!strings.HasPrefix(r.Expected, "in at least ") || r.Worker != "a" {
					x.Errorf("reason %+v, want 2 items ahead on worker a, and a start in at least 4m", r)
				}
			},
		},
		{
			name: "assigned after an expedited item of lower priority", kind: assign.WhyAssigned,
			text: `it is assigned to worker "a"; on this worker 2 items go first, 1 of lower priority by an expedite selector`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, nil)
				x.Items(1, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 900, Estimate: time.Minute})
				x.expedite(w, 100, plan.ExpeditedBefore-1)
				return x.Item(ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 700}).ID
			},
			more: func(x *fixture, r assign.Reason) {
				if r.Ahead != 2 {
					x.Errorf("%d items ahead, want 2", r.Ahead)
				}
			},
		},
		{
			name: "expedited, and the next to start", kind: assign.WhyAssigned,
			text: `it is assigned to worker "a", and is the next one to start there`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, nil)
				x.Items(1, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 900})
				return x.expedite(w, 600, plan.ExpeditedBefore-1)
			},
		},
		{
			name: "assigned, and the next to start", kind: assign.WhyAssigned,
			text: `it is assigned to worker "a", and is the next one to start there`,
			make: func(x *fixture) int64 {
				return x.Item(ItemOpts{State: workqueue.Assigned, Worker: x.whyWorker("a", 2, nil)}).ID
			},
		},
	}
}

// whyHeld are items that no pass reads.
func whyHeld() []whyCase {
	return []whyCase{
		{
			name: "assigned, and its queue was paused afterwards", kind: assign.WhyPaused, text: `its queue "default" is paused`,
			make: func(x *fixture) int64 {
				id := x.Item(ItemOpts{State: workqueue.Assigned, Worker: x.whyWorker("a", 1, nil)}).ID
				if _, err := x.Store.PauseQueue(x.ctx, workqueue.DefaultQueue); err != nil {
					x.Fatal(err)
				}
				return id
			},
			fix: func(x *fixture, _ int64) {
				if _, err := x.Store.ResumeQueue(x.ctx, workqueue.DefaultQueue); err != nil {
					x.Fatal(err)
				}
			},
		},
		{
			name: "its queue is paused", kind: assign.WhyPaused, text: `its queue "default" is paused`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				if _, err := x.Store.PauseQueue(x.ctx, workqueue.DefaultQueue); err != nil {
					x.Fatal(err)
				}
				return x.Item(ItemOpts{}).ID
			},
			fix: func(x *fixture, _ int64) {
				if _, err := x.Store.ResumeQueue(x.ctx, workqueue.DefaultQueue); err != nil {
					x.Fatal(err)
				}
			},
		},
		{
			name: "its queue is for robots", kind: assign.WhyRobots, text: `the items of its queue "mail" are for robots, not for workers`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				x.makeQueue("mail", `"Consumer"`, "'robots'")
				return x.Item(ItemOpts{Queue: "mail"}).ID
			},
			fix: func(x *fixture, _ int64) {
				x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'workers' WHERE "Name" = 'mail'`)
			},
		},
		{
			name: "not due", kind: assign.WhyNotDue, text: `it is not due until TIME \(in SPAN\)`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				return x.Item(ItemOpts{In: time.Hour}).ID
			},
			fix: func(x *fixture, id int64) {
				if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: workqueue.RunNow}); err != nil {
					x.Fatal(err)
				}
			},
		},
		{
			name: "a retry", kind: assign.WhyRetry, text: `retry 1 of 3 is due at TIME \(in SPAN\), after this error: no such host`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, nil)
				it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
				x.wantIDs("lost", x.finish(w, failure(it, workqueue.Ready)), nil)
				return it.ID
			},
			fix: func(x *fixture, id int64) { x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s`, longAgo) },
			more: func(x *fixture, r assign.Reason) {
				if r.Attempt != 2 || r.Attempts != 4 || r.At == nil || r.Error == "" {
					x.Errorf("reason %+v, want attempt 2 of 4", r)
				}
			},
		},
		{
			name: "expired", kind: assign.WhyExpired, text: `it was not started in time: its deadline ended at TIME`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				id := x.Item(ItemOpts{}).ID
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s`, longAgo)
				return id
			},
			fix: func(x *fixture, id int64) { x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = NULL`) },
		},
		limitCase("concurrencyLimit", `"ConcurrencyLimit"`, "1", `its queue "erp" has reached its concurrencyLimit of 1: 1 in use`),
		limitCase("keyConcurrencyLimit", `"KeyConcurrencyLimit"`, "1", `its queue "erp" has reached its keyConcurrencyLimit of 1 for the key "acme": 1 in use`),
		limitCase("rateLimit", `"RateLimit", "RatePeriodMs"`, "1, 3600000", `its queue "erp" has reached its rateLimit of 1/1h0m0s: 1 in use`),
		limitCase("keyRateLimit", `"KeyRateLimit", "KeyRatePeriodMs"`, "1, 60000", `its queue "erp" has reached its keyRateLimit of 1/1m0s for the key "acme": 1 in use`),
	}
}

// limitCase is a queue in which one item uses up the limit.
func limitCase(name, columns, numbers, text string) whyCase {
	return whyCase{
		name: name, kind: assign.WhyLimit, text: text,
		make: func(x *fixture) int64 {
			x.makeQueue("erp", columns, numbers)
			w := x.whyWorker("a", 4, nil)
			x.Items(1, ItemOpts{Queue: "erp", LimitKey: "acme"})
			x.assign()
			if n := len(x.claim(w, 1)); n != 1 {
				x.Fatalf("%d items were claimed, want 1", n)
			}
			x.whyWorker("b", 4, nil)
			return x.Item(ItemOpts{Queue: "erp", LimitKey: "acme"}).ID
		},
		fix: func(x *fixture, _ int64) {
			for _, column := range []string{"ConcurrencyLimit", "KeyConcurrencyLimit", "RateLimit", "KeyRateLimit"} {
				x.exec(1, `UPDATE "BotQueues" SET "%s" = "%[1]s" + 1 WHERE "Name" = 'erp'`, column)
			}
		},
		more: func(x *fixture, r assign.Reason) {
			if r.Limit == nil || r.Limit.Name != name || r.Limit.Used != 1 || r.Queue != "erp" {
				x.Errorf("reason %+v with limit %+v, want %s", r, r.Limit, name)
			}
		},
	}
}
