package process_test

import (
	"context"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// busy is a worker with one slot that runs an item; two more are assigned to it.
type busy struct {
	*process.Process
	log      *logSink
	pipeline <-chan error // the end of the pipeline that runs the items
	running  int64
	waiting  []int64
}

// busy starts such a worker. Its item runs the function end.
func (x *fixture) busy(grace time.Duration, end func(context.Context) error) *busy {
	x.Helper()
	started := make(chan int64, 3)
	x.kinds["Hold"] = func(ctx context.Context, call *handlers.Call) (any, error) {
		started <- call.ItemID
		return nil, end(ctx)
	}
	x.files["hold"] = "steps:\n  - handler: Hold\n"
	x.files["Ahead"] = `trigger: {every: 1h}
steps:
  - handler: AssignTasksToWorker
    with: {horizon: 5m}
  - handler: ExecuteWorkItems
`
	ids := make([]int64, 3)
	for i := range ids {
		ids[i] = x.enqueue(workqueue.NewItem{Priority: 1000 - i, IntegrationConfig: "hold"})
	}
	b := x.newOptions("w")
	b.Spec.Capacity, b.ShutdownGrace = 1, grace
	p := x.new(b)
	pipeline := make(chan error, 1)
	go func() { pipeline <- p.RunOnce(x.Context(), "Ahead") }()
	if id := receive(x.T, started, "start of an item"); id != ids[0] {
		x.Fatalf("item %d runs, want %d, the most urgent", id, ids[0])
	}
	x.wantState(workqueue.Blocked, ids[0])
	x.wantState(workqueue.Assigned, ids[1:]...)
	return &busy{p, b.log, pipeline, ids[0], ids[1:]}
}

// wantStopped fails unless the worker's row has the state stopped.
func (x *fixture) wantStopped() {
	x.Helper()
	workers, err := x.store.Workers(x.Context())
	if err != nil || len(workers) != 1 || workers[0].State != workqueue.WorkerStopped {
		x.Errorf("workers = %+v, %v; want one, stopped", workers, err)
	}
}

func TestStopLetsRunningItemsEnd(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		end := make(chan struct{})
		w := x.busy(patience, func(context.Context) error { <-end; return nil })
		stopped := make(chan error, 1)
		go func() { stopped <- w.Stop(t.Context()) }()

		w.log.await(t, "released assigned items")
		x.wantState(workqueue.Ready, w.waiting...)
		x.wantState(workqueue.Blocked, w.running)
		close(end)
		if err := receive(t, stopped, "end of Stop"); err != nil {
			t.Errorf("Stop = %v, want nil", err)
		}
		if err := receive(t, w.pipeline, "end of the pipeline"); err != nil {
			t.Errorf("the pipeline that ran items = %v, want nil", err)
		}
		x.wantState(workqueue.Processed, w.running)
		x.wantState(workqueue.Ready, w.waiting...)
		x.wantStopped()
		if err := w.Stop(t.Context()); err != nil {
			t.Errorf("a second Stop = %v, want nil", err)
		}
	})
}

func TestStopReleasesItemsAfterShutdownTimeout(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		last := false
		w := x.busy(time.Millisecond, func(ctx context.Context) error {
			if last {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if err := w.Stop(t.Context()); err != nil {
			t.Errorf("Stop = %v, want nil", err)
		}
		if err := receive(t, w.pipeline, "end of the pipeline"); err != nil {
			t.Errorf("the pipeline that ran items = %v, want nil", err)
		}
		all := append([]int64{w.running}, w.waiting...)
		x.wantState(workqueue.Ready, all...)
		x.wantStopped()
		if a := x.attempts(w.running); len(a) != 1 || a[0].Outcome != "released" {
			t.Errorf("attempts = %+v, want one that was released", a)
		}

		last = true
		x.runOnce(x.newOptions("w"), medium)
		x.wantState(workqueue.Processed, all...)
		for _, id := range all {
			if it := x.item(id); it.RetryCount != 0 || it.ReleaseCount != 0 {
				t.Errorf("item %d: RetryCount %d, ReleaseCount %d; want 0, 0: nothing failed", id, it.RetryCount, it.ReleaseCount)
			}
		}
	})
}
