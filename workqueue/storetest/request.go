package storetest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

func requestTests() []test {
	return []test{
		{"a run now", requestNow},
		{"one of many workers starts it", requestContention},
		{"expires", requestExpires},
		{"without a worker", requestWithoutWorker},
		{"of a paused pipeline", requestPaused},
		{"a backfill leaves out what ran", requestBackfill},
		{"of many backfills each time is requested once", requestBackfillContention},
		{"a backfill and the schedule", requestBackfillAndSchedule},
		{"a backfill is not the last firing", requestLastFiring},
		{"the next of each pipeline", requestOrder},
		{"a filter", requestFilter},
	}
}

// request asks for runs of Nightly.
func (x *fixture) request(at ...time.Time) []int64 {
	x.Helper()
	ids, err := x.Store.RequestRuns(x.ctx, workqueue.NewRunRequests{Pipeline: "Nightly", By: "ann", PlannedAt: at, Within: time.Hour})
	if err != nil {
		x.Fatal(err)
	}
	return ids
}

// requested returns one request.
func (x *fixture) requested(id int64) workqueue.RunRequest {
	x.Helper()
	all, err := x.Store.RunRequests(x.ctx, workqueue.RequestFilter{ID: id})
	if err != nil || len(all) != 1 {
		x.Fatalf("request %d: %v, %v, want one", id, all, err)
	}
	return all[0]
}

// requestedRun is the run that a worker starts for a request.
func requestedRun(r workqueue.RunRequest, worker int64) workqueue.PipelineRun {
	return workqueue.PipelineRun{Pipeline: r.Pipeline, Trigger: r.Trigger, PlannedAt: r.PlannedAt, WorkerID: &worker, RequestedBy: &r.By, RequestID: &r.ID}
}

// startRequested starts a request as a schedule that fires once in the cluster.
func (x *fixture) startRequested(id, worker int64) (run int64, started bool) {
	x.Helper()
	run, started, err := x.Store.StartRequested(x.ctx, requestedRun(x.requested(id), worker), true, "ann")
	if err != nil {
		x.Fatal(err)
	}
	if started != (run != 0) {
		x.Errorf("StartRequested = %d, %t: want an id if and only if it started", run, started)
	}
	return run, started
}

func (x *fixture) wantRequest(id int64, want workqueue.RequestState) {
	x.Helper()
	if got := x.requested(id).State; got != want {
		x.Errorf("request %d is %s, want %s", id, got, want)
	}
}

func requestNow(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.request()
	if len(ids) != 1 {
		x.Fatalf("requests %v, want one", ids)
	}
	r := x.requested(ids[0])
	x.wantClean("At", &r.At)
	x.wantClean("ExpiresAt", &r.ExpiresAt)
	if r.ExpiresAt.Sub(r.At) != time.Hour {
		x.Errorf("the request of %s expires at %s, want an hour later", r.At, r.ExpiresAt)
	}
	if c := x.controls(); len(c.Requests) != 1 || c.Requests[0].ID != r.ID || c.Requests[0].By != "ann" || c.Requests[0].Trigger != workqueue.TriggerRequest {
		x.Errorf("requests for workers = %s, want that one", asJSON(c.Requests))
	}
	run, started := x.startRequested(r.ID, w.ID)
	if !started {
		x.Fatal("the request did not start")
	}
	r = x.requested(r.ID)
	x.wantClean("StartedAt", r.StartedAt)
	if r.State != workqueue.RequestStarted || *r.RunID != run || *r.WorkerID != w.ID {
		x.Errorf("the request is %s, want it started as run %d", asJSON(r), run)
	}
	got := x.runs("Nightly", 0)
	if len(got) != 1 || got[0].ID != run || *got[0].RequestID != r.ID || *got[0].RequestedBy != "ann" || got[0].Trigger != workqueue.TriggerRequest {
		x.Errorf("runs are %s, want run %d for the request", asJSON(got), run)
	}
	if _, again := x.startRequested(r.ID, w.ID); again || len(x.controls().Requests) != 0 {
		x.Error("the request started twice")
	}
	if len(x.firings("Nightly", 0)) != 0 {
		x.Error("a run now is recorded as a firing")
	}
}

func requestContention(x *fixture) {
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	var workers []workqueue.Worker
	for range stores {
		workers = append(workers, x.Worker(WorkerOpts{}))
	}
	const requests = 5
	at := make([]time.Time, requests)
	for i := range at {
		at[i] = planned.Add(time.Duration(i) * time.Hour)
	}
	ids := x.request(at...)
	var won [requests]atomic.Int32
	var wg sync.WaitGroup
	for n, s := range stores {
		wg.Go(func() {
			for i, id := range ids {
				r := workqueue.RunRequest{ID: id, Pipeline: "Nightly", Trigger: workqueue.TriggerBackfill, PlannedAt: &at[i], By: "ann"}
				_, started, err := s.StartRequested(x.ctx, requestedRun(r, workers[n].ID), true, workers[n].Name)
				if err != nil {
					x.Error(err)
				}
				if started {
					won[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for i := range won {
		if n := won[i].Load(); n != 1 {
			x.Errorf("request %d started %d times, want once", ids[i], n)
		}
	}
	if n := len(x.runs("Nightly", 0)); n != requests {
		x.Errorf("%d runs, want %d", n, requests)
	}
}

func requestExpires(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.request(planned)[0]
	x.exec(1, `UPDATE "BotRunRequests" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, id)
	x.wantRequest(id, workqueue.RequestExpired)
	if _, started := x.startRequested(id, w.ID); started || len(x.controls().Requests) != 0 {
		x.Error("an expired request started")
	}
	again := x.request(planned)
	if len(again) != 1 || again[0] == id {
		x.Fatalf("requests %v, want a new one for a time whose request has expired", again)
	}
	x.wantRequest(id, workqueue.RequestExpired)
	if _, started := x.startRequested(again[0], w.ID); !started {
		x.Error("the new request did not start")
	}
}

func requestWithoutWorker(x *fixture) {
	n := workqueue.NewRunRequests{Pipeline: "Nightly", By: "ann", Within: time.Hour}
	refused := func(when string) {
		x.Helper()
		if ids, err := x.Store.RequestRuns(x.ctx, n); !errors.Is(err, workqueue.ErrNoWorker) || ids != nil {
			x.Errorf("%s: %v, %v, want ErrNoWorker", when, ids, err)
		}
	}
	refused("no worker")
	w := x.Worker(WorkerOpts{})
	for _, change := range []string{`"State" = 'draining'`, `"State" = 'stopped'`} {
		x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, change, w.ID)
		refused(change)
	}
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'active', "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
	refused("without a heartbeat")
	x.exec(1, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, farAway, w.ID)
	if len(x.request()) != 1 {
		x.Error("no request although a worker is alive")
	}
}

func requestPaused(x *fixture) {
	w := x.Worker(WorkerOpts{})
	before := x.request(planned)[0]
	x.pause("Nightly", "ann", "maintenance")
	_, err := x.Store.RequestRuns(x.ctx, workqueue.NewRunRequests{Pipeline: "Nightly", By: "bob", Within: time.Hour})
	if paused, ok := errors.AsType[*workqueue.PausedError](err); !ok || paused.Reason != "maintenance" {
		x.Errorf("request for a paused pipeline: %v, want a *PausedError", err)
	}
	if _, started := x.startRequested(before, w.ID); started || len(x.runs("Nightly", 0)) != 0 || len(x.firings("Nightly", 0)) != 0 {
		x.Error("a request of a paused pipeline started, or left a record")
	}
	x.wantRequest(before, workqueue.RequestPending)
	x.resume("Nightly", "ann")
	if _, started := x.startRequested(before, w.ID); !started {
		x.Error("the request does not start when the pipeline is resumed")
	}
}

func requestBackfill(x *fixture) {
	w := x.Worker(WorkerOpts{})
	hour := func(n int) time.Time { return planned.Add(time.Duration(n) * time.Hour) }
	fired, ran, missed, unknown := hour(0), hour(1), hour(2), hour(3)
	x.claimFiring("Nightly", "", fired)
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", PlannedAt: &ran, WorkerID: &w.ID}) // of a schedule of each worker
	x.startRun(workqueue.PipelineRun{Pipeline: "Other", Trigger: "cron", PlannedAt: &unknown, WorkerID: &w.ID})
	record := workqueue.Firing{Schedule: "Nightly", PlannedAt: missed, Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "bob"}
	if err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{record}); err != nil {
		x.Fatal(err)
	}
	future := time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	all := []time.Time{unknown, future, missed, ran, fired, missed.In(time.FixedZone("", 7200))}
	ids := x.request(all...)
	var got []time.Time
	for _, id := range ids {
		got = append(got, *x.requested(id).PlannedAt)
	}
	if want := []time.Time{missed, unknown}; !slices.EqualFunc(got, want, time.Time.Equal) {
		x.Fatalf("requested are %v, want %v", got, want)
	}
	if again := x.request(all...); len(again) != 0 {
		x.Errorf("requested again: %v", again)
	}
	for _, id := range ids {
		if _, started := x.startRequested(id, w.ID); !started {
			x.Errorf("request %d did not start", id)
		}
	}
	if again := x.request(all...); len(again) != 0 {
		x.Errorf("requested again after the runs: %v", again)
	}
	records := x.firings("Nightly", 0)
	if len(records) != 3 || records[0].Outcome != workqueue.Fired || records[1].Outcome != workqueue.Missed || records[1].Reason != record.Reason {
		x.Errorf("records = %s, want unknown as fired, and missed unchanged", asJSON(records))
	}
	if x.claimFiring("Nightly", "", unknown).Won || x.claimFiring("Nightly", "", missed).Won {
		x.Error("the schedule fires an instant of the backfill")
	}
}

func requestBackfillContention(x *fixture) {
	x.Worker(WorkerOpts{})
	stores := []Store{x.Store, x.Another(x.T)}
	at := make([]time.Time, 20)
	for i := range at {
		at[i] = planned.Add(time.Duration(i) * time.Hour)
	}
	var total atomic.Int32
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() {
			ids, err := stores[n%2].RequestRuns(x.ctx, workqueue.NewRunRequests{Pipeline: "Nightly", By: "ann", PlannedAt: at[n : n+15], Within: time.Hour})
			if err != nil {
				x.Error(err)
			}
			total.Add(int32(len(ids)))
		})
	}
	wg.Wait()
	if n := total.Load(); n != int32(len(at)) {
		x.Errorf("%d requests for %d planned times, want one for each", n, len(at))
	}
}

// The schedule may fire a planned time between the request and its start.
func requestBackfillAndSchedule(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.request(planned, planned.Add(time.Hour))
	x.claimFiring("Nightly", "", planned)
	if _, started := x.startRequested(ids[0], w.ID); started {
		x.Error("a backfill ran a planned time that has fired")
	}
	x.wantRequest(ids[0], workqueue.RequestRefused)
	// A schedule of each worker has its own records.
	each := requestedRun(x.requested(ids[1]), w.ID)
	if _, started, err := x.Store.StartRequested(x.ctx, each, false, "ann"); !started || err != nil {
		x.Errorf("StartRequested = %t, %v, want it started", started, err)
	}
	if n := len(x.firings("Nightly", 0)); n != 1 {
		x.Errorf("%d records, want only that of the schedule", n)
	}
}

func requestLastFiring(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	later := planned.Add(time.Hour)
	x.claimFiring("Nightly", "", planned)
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", PlannedAt: &planned, WorkerID: &w.ID})
	x.startRequested(x.request(later)[0], w.ID)
	for _, worker := range []string{"", "ann"} {
		if got, err := x.Store.LastFiring(x.ctx, "Nightly", worker); err != nil || !got.Equal(planned) {
			x.Errorf("LastFiring(%q) = %s, %v, want %s: a backfill does not count", worker, got, err, planned)
		}
	}
}

func requestOrder(x *fixture) {
	w := x.Worker(WorkerOpts{})
	backfill := x.request(planned.Add(2*time.Hour), planned.Add(time.Hour))
	now := x.request()[0]
	other, err := x.Store.RequestRuns(x.ctx, workqueue.NewRunRequests{Pipeline: "Other", By: "bob", Within: time.Hour})
	if err != nil {
		x.Fatal(err)
	}
	for _, want := range []int64{now, backfill[0], backfill[1]} {
		var got []int64
		for _, r := range x.controls().Requests {
			got = append(got, r.ID)
		}
		slices.Sort(got)
		wanted := []int64{want, other[0]}
		slices.Sort(wanted)
		x.wantIDs("next requests", got, wanted)
		x.startRequested(want, w.ID)
	}
	if first := x.requested(backfill[0]); !first.PlannedAt.Equal(planned.Add(time.Hour)) {
		x.Errorf("the first of the backfill is %s, want the earliest planned time", first.PlannedAt)
	}
}

func requestFilter(x *fixture) {
	x.Worker(WorkerOpts{})
	ids := append(x.request(planned, planned.Add(time.Hour)), x.request()...)
	for name, c := range map[string]struct {
		filter workqueue.RequestFilter
		want   []int64
	}{
		"all":     {workqueue.RequestFilter{Pipeline: "Nightly"}, []int64{ids[2], ids[1], ids[0]}},
		"limit":   {workqueue.RequestFilter{Limit: 1}, []int64{ids[2]}},
		"planned": {workqueue.RequestFilter{PlannedSince: planned, PlannedUntil: planned.Add(time.Hour)}, []int64{ids[0]}},
		"since":   {workqueue.RequestFilter{Since: time.Now().Add(24 * time.Hour)}, nil},
		"none":    {workqueue.RequestFilter{Pipeline: "Other"}, nil},
	} {
		requests, err := x.Store.RunRequests(x.ctx, c.filter)
		if err != nil {
			x.Fatal(err)
		}
		var got []int64
		for _, r := range requests {
			got = append(got, r.ID)
		}
		x.wantIDs("requests by "+name, got, c.want)
	}
}
