package runner_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// countingStore counts the calls of Progress, and can return an error.
type countingStore struct {
	storetest.Store
	calls  atomic.Int32
	refuse atomic.Bool
}

func (s *countingStore) Progress(ctx context.Context, workerID int64, instance string, notes []workqueue.ProgressNote) ([]int64, error) {
	s.calls.Add(1)
	if s.refuse.Load() {
		return nil, errDown
	}
	return s.Store.Progress(ctx, workerID, instance, notes)
}

// reportUntilCancelled is a run that reports progress and stops when it is cancelled.
func reportUntilCancelled(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	log := zerolog.New(run)
	run.EnterStep("load")
	run.ReportProgress("half")
	for i := range 12 {
		log.Info().Int64("item_id", run.ID).Int("row", i).Msg("read")
	}
	select {
	case <-time.After(lease):
		run.ReportProgress("all")
		return workqueue.Outcome{}
	case <-ctx.Done():
		return workqueue.Outcome{Verdict: workqueue.Released, Error: context.Cause(ctx).Error()}
	}
}

func TestProgressIsRecordedDuringRun(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		counting := &countingStore{Store: store}
		counting.refuse.Store(true)
		_, ids, done := busy(t, counting, 2, reportUntilCancelled, nil)
		time.Sleep(5 * time.Second)
		if it := item(t, store, ids[1]); it.Step != nil || counting.calls.Load() == 0 {
			t.Errorf("step %v after %d refusals, want it unwritten", it.Step, counting.calls.Load())
		}
		counting.refuse.Store(false)
		time.Sleep(3 * time.Second)
		it := item(t, store, ids[1])
		if it.Step == nil || *it.Step != "load" || it.Progress == nil || *it.Progress != "half" {
			t.Fatalf("step %v, progress %v; want load and half", it.Step, it.Progress)
		}
		lines := strings.Split(strings.TrimSpace(*it.LogTail), "\n")
		if len(lines) != 12 || !strings.HasSuffix(lines[11], "INF read row=11") {
			t.Errorf("log tail %q, want all lines, without the item id", lines)
		}
		calls := counting.calls.Load()
		time.Sleep(10 * time.Second)
		if n := counting.calls.Load(); n != calls {
			t.Errorf("%d more writes although nothing has changed", n-calls)
		}
		<-done
		if it := wantItem(t, store, ids[1], workqueue.Processed, 0); *it.Progress != "all" || it.Step != nil || it.LogTail == nil {
			t.Errorf("progress %s, step %v, log tail %v; want the last progress and the log", *it.Progress, it.Step, it.LogTail)
		}
	})
}

func TestShortRunsWriteNoProgress(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		counting := &countingStore{Store: store}
		r := start(t, options(counting, "ann", func(_ context.Context, run *workqueue.Run) workqueue.Outcome {
			run.EnterStep("load")
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 30, workqueue.NewItem{Estimate: time.Second})
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{}); got.Succeeded != 30 {
			t.Errorf("Execute = %+v", got)
		}
		if n := counting.calls.Load(); n != 0 {
			t.Errorf("%d progress writes, want none", n)
		}
	})
}

func TestProgressDetectsLostLeaseBeforeHeartbeat(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		cause := make(chan error, 1)
		_, ids, done := busy(t, store, 2, func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
			// Another process has taken over the name and rescued the item.
			_, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
				Name: "ann", InstanceID: "ann-2", Host: "host", PID: 2, Capacity: 1, Lease: lease, Replaces: "ann-1",
			})
			if err != nil {
				t.Error(err)
			}
			began := time.Now()
			outcome := reportUntilCancelled(ctx, run)
			if took := time.Since(began); took >= heartbeat/2+time.Second {
				t.Errorf("cancelled after %s, want it with the first progress", took)
			}
			cause <- context.Cause(ctx)
			return outcome
		}, nil)
		if got := <-cause; !errors.Is(got, workqueue.ErrLeaseLost) {
			t.Errorf("cause %v, want ErrLeaseLost", got)
		}
		<-done
		if it := wantItem(t, store, ids[1], workqueue.Blocked, 0); it.Step != nil || it.LeaseExpiresAt != nil {
			t.Errorf("step %v, lease %v; want no writes of the replaced process", it.Step, it.LeaseExpiresAt)
		}
	})
}
