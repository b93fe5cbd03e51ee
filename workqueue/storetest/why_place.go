package storetest

import (
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// whyEligible are items that no live worker may have.
func whyEligible() []whyCase {
	return []whyCase{
		{
			name: "no worker", kind: assign.WhyNoWorker, text: `no worker accepts items; the last one, "a" \(draining\), was seen SPAN ago`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				if err := x.Store.DrainWorker(x.ctx, "a", ""); err != nil {
					x.Fatal(err)
				}
				return x.Item(ItemOpts{}).ID
			},
			fix: func(x *fixture, _ int64) { x.whyWorker("b", 1, nil) },
		},
		{
			name: "every worker is gated", kind: assign.WhyGated,
			text: `the machine of every live worker is short of a resource, so they take no new items: worker "a" \(cpu 97% over 90%\), worker "b" \(cpu 97% over 90%\)`,
			make: func(x *fixture) int64 {
				x.beatGated(x.whyWorker("a", 1, nil), gateReason)
				x.beatGated(x.whyWorker("b", 1, nil), gateReason)
				return x.Item(ItemOpts{}).ID
			},
			fix: func(x *fixture, _ int64) { x.beatGated(x.worker("b"), "") },
			more: func(x *fixture, r assign.Reason) {
				if len(r.Workers) != 2 || r.Workers[0].Lacks != gateReason {
					x.Errorf("reason %+v, want both workers with their reasons", r)
				}
			},
		},
		{
			name: "the worker that serves its queue is gated", kind: assign.WhyQueue,
			text: `no live worker serves its queue "default"; live workers: a; not counting workers that take no new items, because their machine is short of a resource: worker "b" \(cpu 97% over 90%\)`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, func(s *workqueue.WorkerSpec) { s.Queues = []string{"mail"} })
				x.beatGated(x.whyWorker("b", 1, nil), gateReason)
				x.beatGated(x.whyWorker("c", 1, func(s *workqueue.WorkerSpec) { s.Queues = []string{"mail"} }), gateReason)
				return x.Item(ItemOpts{}).ID
			},
			fix: func(x *fixture, _ int64) { x.beatGated(x.worker("b"), "") },
		},
		{
			name: "no worker serves its queue", kind: assign.WhyQueue, text: `no live worker serves its queue "default"; live workers: a, b`,
			make: func(x *fixture) int64 {
				for _, name := range []string{"a", "b"} {
					x.whyWorker(name, 1, func(s *workqueue.WorkerSpec) { s.Queues = []string{"mail"} })
				}
				return x.Item(ItemOpts{}).ID
			},
			fix: func(x *fixture, _ int64) {
				x.whyWorker("c", 1, func(s *workqueue.WorkerSpec) { s.Queues = []string{"default"} })
			},
		},
		{
			name: "no worker takes its channel", kind: assign.WhyChannel,
			text: `no live worker that serves its queue "default" accepts its channel "film" and has enough slots for it; live workers: a, b`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, func(s *workqueue.WorkerSpec) { s.Channels = workqueue.Channels{"film": {Cost: 2}} })
				x.whyWorker("b", 9, func(s *workqueue.WorkerSpec) { s.Channels = workqueue.Channels{"mail": {Cost: 1}} })
				x.whyWorker("elsewhere", 9, func(s *workqueue.WorkerSpec) { s.Queues = []string{"mail"} })
				return x.Item(ItemOpts{Pipeline: "Film"}).ID
			},
			fix: func(x *fixture, _ int64) {
				x.whyWorker("c", 2, func(s *workqueue.WorkerSpec) { s.Channels = workqueue.Channels{"film": {Cost: 2}} })
			},
		},
		{
			name: "selectors that cannot be read", kind: assign.WhyUnreadable,
			text: `its selectors cannot be read, so it is assigned to no worker: .*`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				id := x.Item(ItemOpts{}).ID
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "Selectors" = '["gpu"]'`)
				return id
			},
			fix: func(x *fixture, _ int64) { x.exec(1, `UPDATE "BotWorkQueueItems" SET "Selectors" = NULL`) },
			more: func(x *fixture, r assign.Reason) {
				if r.Error == "" {
					x.Error("the reason has no Error")
				}
			},
		},
		{
			name: "selectors", kind: assign.WhySelectors,
			text: `no live worker satisfies gpu = true; the closest, worker "b", lacks gpu = true`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, func(s *workqueue.WorkerSpec) { s.Labels = `{"ram": 16}` })
				x.whyWorker("b", 1, func(s *workqueue.WorkerSpec) { s.Labels = `{"ram": 64}` })
				return x.withSelectors(`"gpu = true"`, `"ram >= 32"`)
			},
			fix: func(x *fixture, _ int64) {
				x.whyWorker("c", 1, func(s *workqueue.WorkerSpec) { s.Labels = `{"ram": 64, "gpu": true}` })
			},
			more: func(x *fixture, r assign.Reason) {
				if len(r.Workers) != 2 || r.Workers[1].Lacks != "lacks gpu = true, has ram = 16 of >= 32" || r.At != nil {
					x.Errorf("reason %+v, want the missing labels of each worker, the closest first", r)
				}
			},
		},
		{
			name: "selectors that expire", kind: assign.WhySelectors,
			text: `no live worker satisfies Name = "?z"?; the closest, worker "a", has Name = "?a"? where Name = "?z"? is wanted`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				return x.withSelectors(`{"key":"Name","operator":"equal","value":"z","expiresAfter":"10m"}`)
			},
			fix: func(x *fixture, _ int64) {
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s`, sqlAgo(11*time.Minute))
			},
			more: func(x *fixture, r assign.Reason) {
				if r.At == nil || time.Until(*r.At) < 9*time.Minute || time.Until(*r.At) > 10*time.Minute {
					x.Errorf("the reason ends at %v, want ten minutes after the item became due", r.At)
				}
			},
		},
	}
}

// whyPlaces are items that some live worker may have.
func whyPlaces() []whyCase {
	return []whyCase{
		{
			name: "no pass covers its priority", kind: assign.WhyNoPass, text: `no pipeline has an AssignTasksToWorker step for items of priority 99`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				return x.Item(ItemOpts{Priority: 99}).ID
			},
		},
		{
			name: "the workers that may run it are not idle", kind: assign.WhyFull,
			text: `no worker that may run it is idle: "a" holds 2 items and has 1 slot`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, func(s *workqueue.WorkerSpec) { s.Labels = `{"gpu": true}` })
				x.whyWorker("b", 1, nil)
				x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 600, Estimate: 3 * time.Minute})
				x.Items(1, ItemOpts{State: workqueue.Assigned, Worker: w, Estimate: 2 * time.Minute})
				return x.withSelectors(`"gpu = true"`)
			},
			fix: func(x *fixture, _ int64) {
				x.whyWorker("c", 1, func(s *workqueue.WorkerSpec) { s.Labels = `{"gpu": true}` })
			},
			more: func(x *fixture, r assign.Reason) {
				if len(r.Workers) != 1 || r.Workers[0] != (assign.ReasonWorker{Name: "a", Slots: 1, Holds: 2, Running: 1}) {
					x.Errorf("workers %+v, want only a", r.Workers)
				}
			},
		},
		{
			name: "the workers that may run it run items longer than expected", kind: assign.WhyFull,
			text: `no worker that may run it is idle: "a" holds 1 item and has 1 slot, "b" holds 1 item and has 1 slot`,
			make: func(x *fixture) int64 {
				for _, name := range []string{"a", "b"} {
					x.Item(ItemOpts{State: workqueue.Blocked, Worker: x.whyWorker(name, 1, nil), Priority: 600, Estimate: time.Second})
				}
				x.exec(2, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s`, sqlAgo(10*time.Minute))
				return x.Item(ItemOpts{}).ID
			},
			more: func(x *fixture, r assign.Reason) {
				if r.ExpectedAt == nil || time.Until(*r.ExpectedAt) < 9*time.Minute || time.Until(*r.ExpectedAt) > 11*time.Minute {
					x.Errorf("expected to start %s, want in about 10m, the time that the running items have run", r.Expected)
				}
			},
		},
		{
			name: "after other items", kind: assign.WhyBehind,
			text: `5 items go first on the workers that may run it`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				x.Items(5, ItemOpts{Priority: 950, Estimate: 2 * time.Minute})
				return x.Item(ItemOpts{Priority: 900}).ID
			},
			fix: func(x *fixture, id int64) {
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "Priority" = 2000 WHERE "Id" = %d`, id)
			},
		},
		{
			name: "the items before it go to another worker", kind: assign.WhyNextPass, text: `the next run of Soon assigns it, at TIME \(in SPAN\)`,
			make: func(x *fixture) int64 {
				x.whyWorker("a", 1, nil)
				x.whyWorker("b", 1, func(s *workqueue.WorkerSpec) { s.Queues = []string{"mail"} })
				x.makeQueue("mail", `"Consumer"`, "'workers'")
				x.exec(1, `UPDATE "BotWorkers" SET "Queues" = '["default"]' WHERE "Name" = 'a'`)
				x.Items(50, ItemOpts{Queue: "mail", Priority: 2000, Estimate: time.Hour})
				return x.Item(ItemOpts{}).ID
			},
			fix: func(*fixture, int64) {},
		},
		{
			name: "a later pass has its band", kind: assign.WhyBand, text: `items of priority 100 to 499 are assigned by the next run of Lesser, at TIME \(in SPAN\)`,
			make: func(x *fixture) int64 {
				w := x.whyWorker("a", 1, nil)
				x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 400}) // the worker is full now
				return x.Item(ItemOpts{Priority: 400}).ID
			},
		},
	}
}
