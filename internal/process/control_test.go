package process_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func pauseOf(pipeline string) workqueue.PipelinePause {
	return workqueue.PipelinePause{Pipeline: pipeline, By: "ann", Reason: "maintenance"}
}

// A pause ends the work of a run that stays active for new items: no item starts until it is
// resumed.
func TestPausedPipelineStartsNoItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		x.files["waking"] = waking
		b := x.newOptions("w")
		x.startProcess(b)
		b.awaitStart(t) // a run at the start may run the item
		x.enqueue(workqueue.NewItem{Priority: 200})
		b.log.awaitNth(t, "item succeeded", 1)
		if _, err := x.store.PausePipeline(t.Context(), pauseOf("waking")); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "pipeline paused: no run of it starts until it is resumed", 1)
		x.awaitRun(workqueue.RunFilter{Pipeline: "waking", Outcomes: []workqueue.RunOutcome{workqueue.RunSucceeded}})
		waiting := x.enqueue(workqueue.NewItem{Priority: 200})
		if _, err := x.store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "waking", Trigger: "wake"}); !isPaused(err) {
			t.Errorf("StartRun = %v, want a *PausedError", err)
		}
		if it, err := x.store.Item(t.Context(), waiting); err != nil || it.State == workqueue.Processed {
			t.Errorf("the item of a paused pipeline is %v, %v, want it to wait", it.State, err)
		}
		if _, err := x.store.ResumePipeline(t.Context(), "waking", "ann"); err != nil {
			t.Fatal(err)
		}
		b.log.awaitNth(t, "item succeeded", 2)
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: "waking"})
		if err != nil || len(runs) != 2 {
			t.Errorf("%d runs, %v, want one before the pause and one after it", len(runs), err)
		}
	})
}

func isPaused(err error) bool {
	_, ok := errors.AsType[*workqueue.PausedError](err)
	return ok
}

// awaitRun waits until a run matches.
func (x *fixture) awaitRun(f workqueue.RunFilter) workqueue.PipelineRun {
	x.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		runs, err := x.store.Runs(x.Context(), f)
		if err != nil {
			x.Fatal(err)
		}
		if len(runs) > 0 {
			return runs[0]
		}
	}
	runs, err := x.store.Runs(x.Context(), workqueue.RunFilter{Limit: 100})
	x.Fatalf("no run matches %+v; the runs are %+v, %v", f, runs, err)
	return workqueue.PipelineRun{}
}

// Requested runs start on one of two workers, with what they report and where they failed; the
// pipelines of a backfill see its planned time.
func TestRequestedRuns(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		var failing error
		seen := make(chan any, 10)
		x.kinds["Seen"] = func(_ context.Context, call *handlers.Call) (any, error) {
			seen <- call.Input
			return nil, failing
		}
		x.files["seen"] = `
trigger: {cron: "0 0 1 1 *", scope: once}
steps:
  - name: now
    handler: Transform
    with: {value: "${{ string(now) }}"}
  - name: make
    handler: Enqueue
    with: {pipeline: note, payload: {}}
  - name: look
    handler: Seen
`
		for _, name := range []string{"a", "b"} {
			x.startProcess(x.newOptions(name))
		}
		planned := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		ids, err := x.store.RequestRuns(t.Context(), workqueue.NewRunRequests{Pipeline: "seen", By: "ann", PlannedAt: []time.Time{planned}, Within: time.Hour})
		if err != nil || len(ids) != 1 {
			t.Fatalf("RequestRuns = %v, %v, want one", ids, err)
		}
		receive(t, seen, "the run of the backfill")
		run := x.awaitRun(workqueue.RunFilter{Pipeline: "seen", Outcomes: []workqueue.RunOutcome{workqueue.RunSucceeded}})
		if run.Trigger != workqueue.TriggerBackfill || !run.PlannedAt.Equal(planned) || *run.RequestID != ids[0] || *run.RequestedBy != "ann" || run.Summary != `{"enqueued":1}` {
			t.Errorf("the run is %+v, want a backfill that enqueued an item", run)
		}
		failing = errors.New("no route")
		if _, err := x.store.RequestRuns(t.Context(), workqueue.NewRunRequests{Pipeline: "seen", By: "bob", Within: time.Hour}); err != nil {
			t.Fatal(err)
		}
		receive(t, seen, "the requested run")
		run = x.awaitRun(workqueue.RunFilter{Pipeline: "seen", Outcomes: []workqueue.RunOutcome{workqueue.RunFailed}})
		if run.FailedStep == nil || *run.FailedStep != "look" || *run.RequestedBy != "bob" || run.Summary != `{"enqueued":1}` {
			t.Errorf("the run is %+v, want it failed in step look", run)
		}
	})
}
