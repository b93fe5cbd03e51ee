package storetest

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

func firingTests() []test {
	return []test{
		{"only one of many claims wins", firingContention},
		{"no firing before its time", firingEarly},
		{"a claim at the exact instant is never lost", firingAtTheInstant},
		{"a firing for each worker", firingEachWorker},
		{"records do not overwrite existing ones", firingRecords},
		{"a long reason", firingReason},
		{"the last firing", firingLast},
		{"the latest first", firingList},
		{"a filter", firingFilter},
	}
}

// planned is an instant in the past for every clock.
var planned = time.Date(2024, 3, 31, 1, 30, 0, 0, time.UTC)

// claimFiring claims a planned instant.
func (x *fixture) claimFiring(schedule, worker string, at time.Time) workqueue.FiringClaim {
	x.Helper()
	claim, err := x.Store.ClaimFiring(x.ctx, workqueue.Firing{Schedule: schedule, PlannedAt: at, Worker: worker, RecordedBy: "ann"})
	if err != nil {
		x.Fatal(err)
	}
	return claim
}

// firings lists the records of a schedule.
func (x *fixture) firings(schedule string, limit int) []workqueue.Firing {
	x.Helper()
	firings, err := x.Store.Firings(x.ctx, workqueue.FiringFilter{Schedule: schedule, Limit: limit})
	if err != nil {
		x.Fatal(err)
	}
	return firings
}

func firingContention(x *fixture) {
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	const instants, contenders = 5, 8
	var won [instants]atomic.Int32
	var wg sync.WaitGroup
	for n := range contenders {
		wg.Go(func() {
			for i := range instants {
				// It is the same instant in another time zone.
				at := planned.Add(time.Duration(i) * time.Minute).In(time.FixedZone("", n*3600))
				claim, err := stores[n%len(stores)].ClaimFiring(x.ctx, workqueue.Firing{Schedule: "Nightly", PlannedAt: at, RecordedBy: "ann"})
				if err != nil {
					x.Error(err)
				}
				if claim.Won {
					won[i].Add(1)
				}
				if claim.Early != 0 {
					x.Errorf("a past instant is early by %s, want 0", claim.Early)
				}
			}
		})
	}
	wg.Wait()
	for i := range won {
		if n := won[i].Load(); n != 1 {
			x.Errorf("instant %d was won %d times, want once", i, n)
		}
	}
	got := x.firings("Nightly", 0)
	if len(got) != instants {
		x.Fatalf("%d records, want %d", len(got), instants)
	}
	f := got[instants-1]
	x.wantClean("RecordedAt", &f.RecordedAt)
	f.RecordedAt = time.Time{}
	if want := (workqueue.Firing{Schedule: "Nightly", PlannedAt: planned, Outcome: workqueue.Fired, RecordedBy: "ann"}); asJSON(f) != asJSON(want) {
		x.Errorf("the record is\n     %s\nwant %s", asJSON(f), asJSON(want))
	}
}

func firingEarly(x *fixture) {
	claim := x.claimFiring("Nightly", "", time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC))
	if claim.Won || claim.Early < 24*time.Hour {
		x.Errorf("an instant in the far future: %+v, want it early by years", claim)
	}
	if got := x.firings("", 0); len(got) != 0 {
		x.Errorf("an early claim recorded %s", asJSON(got))
	}
}

// A scheduler claims in the exact millisecond of its planned time. If it is the only one,
// it must win or get the answer that it is early. If the store answered that another worker
// has the firing, no worker would fire.
func firingAtTheInstant(x *fixture) {
	for range 5 {
		at := time.Now().Add(15 * time.Millisecond).Truncate(time.Millisecond)
		for {
			claim := x.claimFiring("Nightly", "", at)
			if claim.Won {
				break
			}
			if claim.Early <= 0 {
				x.Fatalf("a claim without rivals: %+v, want won, or early by more than 0", claim)
			}
		}
	}
}

func firingEachWorker(x *fixture) {
	for _, worker := range []string{"", "ann", "bob"} {
		if !x.claimFiring("Minute", worker, planned).Won {
			x.Errorf("worker %q did not get its own firing", worker)
		}
		if x.claimFiring("Minute", worker, planned).Won {
			x.Errorf("worker %q fired twice", worker)
		}
	}
	if !x.claimFiring("Other", "", planned).Won {
		x.Error("another schedule did not get its firing")
	}
}

func firingRecords(x *fixture) {
	x.claimFiring("Nightly", "", planned)
	missed := workqueue.Firing{Schedule: "Nightly", PlannedAt: planned.Add(time.Hour), Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "bob"}
	again := missed
	again.PlannedAt = planned // it fired: that record must not change
	for range 2 {
		if err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{again, missed, missed}); err != nil {
			x.Fatal(err)
		}
	}
	if err := x.Store.RecordFirings(x.ctx, nil); err != nil {
		x.Errorf("RecordFirings of nothing: %v", err)
	}
	got := x.firings("Nightly", 0)
	if len(got) != 2 || got[0].Outcome != workqueue.Missed || got[0].Reason != "no worker was running" || got[0].RecordedBy != "bob" || got[1].Outcome != workqueue.Fired {
		x.Errorf("records = %s, want the missed one, and the fired one unchanged", asJSON(got))
	}
	if x.claimFiring("Nightly", "", missed.PlannedAt).Won {
		x.Error("a claim won an instant that is recorded as missed")
	}
}

func firingReason(x *fixture) {
	reason := strings.Repeat("because 🚀 ", 500)
	err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{{Schedule: "Nightly", PlannedAt: planned, Outcome: workqueue.Skipped, Reason: reason, RecordedBy: "ann"}})
	if err != nil {
		x.Fatal(err)
	}
	if got := x.firings("Nightly", 0)[0].Reason; !strings.HasPrefix(reason, got) || len(got) < 900 {
		x.Errorf("the reason has %d bytes, want about the first 1000 characters", len(got))
	}
}

func firingLast(x *fixture) {
	want := func(schedule, worker string, want time.Time) {
		x.Helper()
		got, err := x.Store.LastFiring(x.ctx, schedule, worker)
		if err != nil || !got.Equal(want) {
			x.Errorf("LastFiring(%q, %q) = %s, %v, want %s", schedule, worker, got, err, want)
		}
	}
	want("Nightly", "", time.Time{})
	x.claimFiring("Nightly", "", planned)
	x.claimFiring("Nightly", "", planned.Add(-time.Hour))
	x.claimFiring("Other", "", planned.Add(time.Hour))
	want("Nightly", "", planned)
	missed := workqueue.Firing{Schedule: "Nightly", PlannedAt: planned.Add(time.Minute), Outcome: workqueue.Missed, RecordedBy: "ann"}
	if err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{missed}); err != nil {
		x.Fatal(err)
	}
	want("Nightly", "", missed.PlannedAt)

	// A schedule of each worker has runs instead of records.
	w := x.Worker(WorkerOpts{Name: "ann"})
	at := planned.Add(2 * time.Hour)
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", PlannedAt: &at, WorkerID: &w.ID})
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "request", WorkerID: &w.ID})
	want("Nightly", "ann", at)
	want("Nightly", "bob", time.Time{})
	want("Nightly", "", missed.PlannedAt)
}

func firingList(x *fixture) {
	for _, hours := range []int{2, 1, 3} {
		x.claimFiring("Nightly", "", planned.Add(time.Duration(hours)*time.Hour))
		x.claimFiring("Other", "", planned.Add(time.Duration(hours)*time.Hour+time.Minute))
	}
	got := x.firings("Nightly", 2)
	if len(got) != 2 || !got[0].PlannedAt.Equal(planned.Add(3*time.Hour)) || !got[1].PlannedAt.Equal(planned.Add(2*time.Hour)) {
		x.Errorf("Firings of one schedule = %s, want the latest two", asJSON(got))
	}
	if all := x.firings("", 0); len(all) != 6 || all[0].Schedule != "Other" || all[1].Schedule != "Nightly" {
		x.Errorf("Firings of all = %s, want 6, the latest first", asJSON(all))
	}
}

func firingFilter(x *fixture) {
	at := []time.Time{planned, planned.Add(time.Hour), planned.Add(2 * time.Hour)}
	for i, outcome := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped} {
		f := workqueue.Firing{Schedule: "Nightly", PlannedAt: at[i], Outcome: outcome, RecordedBy: "ann"}
		task := f
		task.Schedule = workqueue.TaskSchedule("books")
		if err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{f, task}); err != nil {
			x.Fatal(err)
		}
	}
	x.claimFiring("Nightly", "", at[2])
	for name, c := range map[string]struct {
		filter workqueue.FiringFilter
		want   int
	}{
		"all":       {workqueue.FiringFilter{}, 5},
		"pipelines": {workqueue.FiringFilter{Pipelines: true}, 3},
		"outcome":   {workqueue.FiringFilter{Pipelines: true, Outcomes: []workqueue.FiringOutcome{workqueue.Missed}}, 1},
		"outcomes":  {workqueue.FiringFilter{Outcomes: []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped}}, 4},
		"between":   {workqueue.FiringFilter{Schedule: "Nightly", Since: at[1], Until: at[2]}, 1},
		"since":     {workqueue.FiringFilter{Schedule: "Nightly", Since: at[1].In(time.FixedZone("", -3600))}, 2},
	} {
		got, err := x.Store.Firings(x.ctx, c.filter)
		if err != nil || len(got) != c.want {
			x.Errorf("firings by %s: %s, %v, want %d", name, asJSON(got), err, c.want)
		}
	}
}
