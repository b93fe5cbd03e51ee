package storetest

import "botwork/workqueue"

func strandedTests() []test {
	return []test{
		{"nothing", strandedNothing},
		{"items assigned to the worker", strandedAssigned},
		{"running items with an expired lease", strandedExpired},
		{"items assigned to a worker that has stopped", strandedGone},
		{"the band includes all stranded items", strandedBand},
	}
}

// wantStranded checks the priorities of the items that a worker finds stranded; without
// bounds it checks that there are none.
func (x *fixture) wantStranded(w workqueue.Worker, bounds ...int) {
	x.Helper()
	band, found, err := x.Store.AbandonedBand(x.ctx, w.ID)
	if err != nil {
		x.Fatal(err)
	}
	want := workqueue.Band{}
	if len(bounds) > 0 {
		want = workqueue.Band{Min: bounds[0], Max: bounds[len(bounds)-1]}
	}
	if found != (len(bounds) > 0) || band != want {
		x.Errorf("Stranded = %v, %t; want %v, %t", band, found, want, len(bounds) > 0)
	}
}

func strandedNothing(x *fixture) {
	ann, bob := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Blocked, Worker: bob})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: bob})
	for _, s := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Processed, workqueue.Cancelled} {
		x.Item(ItemOpts{State: s})
	}
	x.wantStranded(ann)
}

func strandedAssigned(x *fixture) {
	ann, bob := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: ann, Priority: 700})
	x.wantStranded(ann, 700)
	x.wantStranded(bob)
}

func strandedExpired(x *fixture) {
	ann, bob := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: bob, Priority: 300})
	x.wantStranded(ann)
	x.expire(it.ID)
	x.wantStranded(ann, 300)
	x.wantStranded(bob, 300)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, it.ID)
	x.wantStranded(ann, 300)
}

func strandedGone(x *fixture) {
	ann := x.Worker(WorkerOpts{})
	for _, change := range []string{
		`"LeaseExpiresAt" = ` + longAgo, `"State" = 'stopped'`, `"State" = 'draining'`,
	} {
		stopped := x.Worker(WorkerOpts{})
		it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: stopped, Priority: 1200})
		x.wantStranded(ann)
		x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, change, stopped.ID)
		x.wantStranded(ann, 1200)
		x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, it.ID)
	}
}

func strandedBand(x *fixture) {
	ann, stopped := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.expire(x.Item(ItemOpts{State: workqueue.Blocked, Worker: stopped, Priority: 100}).ID)
	x.expire(x.Item(ItemOpts{State: workqueue.Blocked, Worker: stopped, Priority: 5000}).ID)
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: ann, Priority: 700})
	x.wantStranded(ann, 100, 5000)
	x.wantStranded(stopped, 100, 5000)
}
