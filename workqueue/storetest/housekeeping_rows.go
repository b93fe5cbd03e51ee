package storetest

import (
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// firingRow inserts a record by hand.
func (x *fixture) firingRow(schedule, worker string, age time.Duration) {
	x.Helper()
	x.exec(1, `INSERT INTO "BotScheduleFirings" ("Schedule", "WorkerName", "PlannedAt", "Outcome", "RecordedBy", "RecordedAt")
		VALUES ('%s', '%s', %s, 'fired', 'ann', %s)`, schedule, worker, ago(age), ago(age))
}

// wantFirings checks the age in days of each record of a schedule, the latest first.
func (x *fixture) wantFirings(schedule string, want ...int) {
	x.Helper()
	firings, err := x.Store.Firings(x.ctx, workqueue.FiringFilter{Schedule: schedule, Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	got := make([]int, len(firings))
	for i, f := range firings {
		got[i] = int(cleanNow.Sub(f.PlannedAt) / (24 * time.Hour))
	}
	if !slices.Equal(got, want) {
		x.Errorf("%s has records that are %v days old, want %v", schedule, got, want)
	}
}

func housekeepFirings(x *fixture) {
	s := x.cleaned()
	w := x.Worker(WorkerOpts{})
	for _, n := range []int{400, 300, 200} {
		x.firingRow("yearly", "", *days(n))
		x.firingRow("own", w.Name, *days(n))
		x.firingRow("own", "gone", *days(n))
	}
	for _, n := range []int{400, 90, 89, 1} {
		x.firingRow("daily", "", *days(n))
	}
	x.firingRow("just", "", *days(90)-time.Millisecond)
	x.firingRow("just", "", 0)
	n, err := s.RemoveFirings(x.ctx, *days(90), 0)
	x.wantRemoved(n, err, 2+2+3+2)
	x.wantFirings("yearly", 200)
	x.wantFirings("own", 200)
	x.wantFirings("daily", 1, 89)
	x.wantFirings("just", 0, 89)
	if last, err := s.LastFiring(x.ctx, "own", w.Name); err != nil || !last.Equal(cleanNow.Add(-*days(200))) {
		x.Errorf("LastFiring = %s, %v, want the previous last firing", last, err)
	}
	for range 3 { // limited: the next call removes the rest
		x.firingRow("many", "", *days(500))
		x.exec(1, `UPDATE "BotScheduleFirings" SET "PlannedAt" = %s WHERE "Schedule" = 'many' AND "PlannedAt" = %s`, x.instant(), ago(*days(500)))
	}
	for _, want := range []int{1, 1, 0} {
		n, err := s.RemoveFirings(x.ctx, *days(90), 1)
		x.wantRemoved(n, err, want)
	}
}

// instant returns a different instant in the distant past at each call.
func (x *fixture) instant() string {
	x.instants++
	return ago(*days(600) + time.Duration(x.instants)*time.Second)
}

func housekeepTaskFirings(x *fixture) {
	s := x.cleaned()
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline", "SettledUntil") VALUES ('nightly', 'P', %s)`, ago(*days(150)))
	for _, scope := range []string{"", "Lisbon"} {
		for _, n := range []int{300, 200, 150, 100} {
			x.firingRow("task:nightly", scope, *days(n))
			x.firingRow("task:left", scope, *days(n))
		}
	}
	n, err := s.RemoveFirings(x.ctx, *days(90), 0)
	x.wantRemoved(n, err, 2*(2+3))
	x.wantFirings("task:nightly", 100, 100, 150, 150) // its later windows are not settled
	x.wantFirings("task:left", 100, 100)
}

func housekeepRuns(x *fixture) {
	s := x.cleaned()
	alive, again := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s, "StartedAt" = %s WHERE "Id" = %d`, farAway, longAgo, alive.ID)
	x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s, "StartedAt" = %s WHERE "Id" = %d`, farAway, ago(time.Hour), again.ID)
	run := func(pipeline, worker, planned, outcome string, started, finished time.Duration) {
		x.Helper()
		end := "NULL"
		if outcome != "running" {
			end = ago(finished)
		}
		x.exec(1, `INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "WorkerId", "PlannedAt", "Outcome", "StartedAt", "FinishedAt")
			VALUES ('%s', 'cron', %s, %s, '%s', %s, %s)`, pipeline, worker, planned, outcome, ago(started), end)
	}
	month, id := *days(30), fmt.Sprint(alive.ID)
	run("on request", id, "NULL", "succeeded", month, month)
	run("almost", id, "NULL", "failed", month, month-time.Millisecond)
	run("of a worker without a row", "12345678", ago(month), "succeeded", month, month)
	run("planned", id, ago(3*month), "succeeded", 3*month, 3*month)
	run("planned", id, ago(2*month), "succeeded", 2*month, 2*month)
	run("active", id, "NULL", "running", 2*month, 0)
	run("stopped with its process", fmt.Sprint(again.ID), "NULL", "running", 2*month, 0)
	run("stopped with its worker", "12345678", "NULL", "running", 2*month, 0)
	run("new", id, "NULL", "succeeded", 0, 0)
	n, err := s.RemoveRuns(x.ctx, month, 0)
	x.wantRemoved(n, err, 5)
	var left []string
	for _, r := range x.runs("", 100) {
		left = append(left, r.Pipeline)
	}
	slices.Sort(left)
	if want := []string{"active", "almost", "new", "planned"}; !slices.Equal(left, want) {
		x.Errorf("remaining runs are %q, want %q", left, want)
	}
	if last, err := s.LastFiring(x.ctx, "planned", alive.Name); err != nil || !last.Equal(cleanNow.Add(-2*month)) {
		x.Errorf("LastFiring = %s, %v, want the previous last firing", last, err)
	}
}

func housekeepWorkers(x *fixture) {
	s := x.cleaned()
	month := *days(30)
	lastSeen := func(state string, seen time.Duration, lease string) workqueue.Worker {
		x.Helper()
		w := x.Worker(WorkerOpts{})
		x.exec(1, `UPDATE "BotWorkers" SET "State" = '%s', "LastSeenAt" = %s, "LeaseExpiresAt" = %s WHERE "Id" = %d`, state, ago(seen), lease, w.ID)
		return w
	}
	ran, stopped := lastSeen("active", 0, farAway), lastSeen("stopped", month, farAway)
	dead, never := lastSeen("active", month, ago(month)), lastSeen("draining", month, "NULL")
	almost := lastSeen("stopped", month-time.Millisecond, ago(month))
	leased := lastSeen("active", month, ago(-time.Millisecond))
	holds, runs := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	assigned, running := x.Item(ItemOpts{State: workqueue.Assigned, Worker: holds}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: runs})
	done, failed := x.Item(ItemOpts{State: workqueue.Processed, Worker: ran}), x.Item(ItemOpts{State: workqueue.Cancelled, Worker: ran})
	x.exec(3, `UPDATE "BotWorkers" SET "State" = 'stopped', "LastSeenAt" = %s WHERE "Id" IN (%d, %d, %d)`, longAgo, holds.ID, runs.ID, ran.ID)
	n, err := s.RemoveWorkers(x.ctx, month, 0)
	x.wantRemoved(n, err, 4)
	workers, err := x.Store.Workers(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	var left []int64
	for _, w := range workers {
		left = append(left, w.ID)
	}
	slices.Sort(left)
	x.wantIDs("workers", left, []int64{almost.ID, leased.ID, holds.ID, runs.ID})
	for _, w := range []workqueue.Worker{stopped, dead, never} {
		if slices.Contains(left, w.ID) {
			x.Errorf("worker %s was not removed", w.Name)
		}
	}
	x.wantSame(assigned)
	x.wantSame(running)
	x.wantSame(done) // including its worker id
	if a := x.attempts(failed.ID); len(a) == 0 || deref(a[0].WorkerName) != ran.Name {
		x.Errorf("the attempts are %s, want the name of the worker", asJSON(a))
	}
	again, err := x.Store.RegisterWorker(x.ctx, workqueue.WorkerSpec{
		Name: stopped.Name, InstanceID: "another", Host: "h", Version: "v", Capacity: 1, Lease: time.Hour,
	})
	if err != nil || again.ID == stopped.ID {
		x.Errorf("RegisterWorker = %d, %v, want a new row, not %d", again.ID, err, stopped.ID)
	}
}

func housekeepRequests(x *fixture) {
	s := x.cleaned()
	w := x.Worker(WorkerOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, farAway, w.ID)
	request := func(age time.Duration, run string) {
		x.Helper()
		x.exec(1, `INSERT INTO "BotRunRequests" ("Pipeline", "RequestedBy", "RequestedAt", "ExpiresAt", "State", "RunId") VALUES ('P', 'ann', %s, %s, 'started', %s)`,
			ago(age), ago(age), run)
	}
	month := *days(30)
	kept := x.startRun(workqueue.PipelineRun{Pipeline: "P", Trigger: "request", WorkerID: &w.ID})
	request(month, "NULL")
	request(month, "123456")
	request(month-time.Millisecond, "NULL")
	request(2*month, fmt.Sprint(kept)) // its run is kept
	n, err := s.RemoveRuns(x.ctx, month, 0)
	x.wantRemoved(n, err, 2)
	if n, err = s.RemoveRuns(x.ctx, month, 0); n != 0 || err != nil {
		x.Errorf("the next call removed %d, %v, want 0", n, err)
	}
	if left, err := x.Store.RunRequests(x.ctx, workqueue.RequestFilter{}); err != nil || len(left) != 2 {
		x.Errorf("remaining requests are %s, %v, want 2", asJSON(left), err)
	}
}
