package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// busy starts a runner with one slot, assigns n items to it and executes them: the
// first takes a millisecond, the second runs the function second.
func busy(t *testing.T, store storetest.Store, n int, second workqueue.RunItem, change func(*runner.Options)) (*runner.Runner, []int64, <-chan executeAnswer) {
	t.Helper()
	return busyAfter(t, store, 0, n, second, change)
}

// quick is how many short items a worker must run until it claims ahead.
const quick = 100

// busyAfter is like busy, but first runs some short items, which it does not return.
func busyAfter(t *testing.T, store storetest.Store, before, n int, second workqueue.RunItem, change func(*runner.Options)) (*runner.Runner, []int64, <-chan executeAnswer) {
	t.Helper()
	short := 0
	running := make(chan struct{})
	o := options(store, "ann", func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
		if short++; short <= before+1 {
			time.Sleep(time.Millisecond)
			return workqueue.Outcome{}
		}
		close(running)
		return second(ctx, it)
	})
	if change != nil {
		change(&o)
	}
	r := start(t, o)
	if before > 0 {
		enqueue(t, store, before, workqueue.NewItem{Estimate: time.Second, Priority: 10})
	}
	ids := enqueue(t, store, n, workqueue.NewItem{Estimate: time.Second})
	assignTo(t, r, assign.AssignParams{})
	done := background(t, r, runner.ExecuteParams{})
	<-running
	synctest.Wait() // the result of the first item is written
	return r, ids, done
}

func sleepFor(d time.Duration) workqueue.RunItem {
	return func(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
		select {
		case <-time.After(d):
			return workqueue.Outcome{}
		case <-ctx.Done():
			return workqueue.Outcome{Verdict: workqueue.Released, Error: context.Cause(ctx).Error()}
		}
	}
}

func workerState(t *testing.T, store storetest.Store, name string) workqueue.WorkerState {
	t.Helper()
	workers, err := store.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name {
			return w.State
		}
	}
	t.Fatalf("no worker %q", name)
	return ""
}

func TestDrainReleasesUnstartedItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r, ids, done := busyAfter(t, store, quick, 6, sleepFor(20*time.Second), nil)
		later := enqueue(t, store, 1, workqueue.NewItem{Priority: 9})[0]
		assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers}) // assigned, not claimed
		wantItem(t, store, later, workqueue.Assigned, 0)
		wantItem(t, store, ids[3], workqueue.Blocked, 0) // claimed ahead
		r.Drain(t.Context())
		<-r.Draining()
		wantItem(t, store, later, workqueue.Ready, 0)
		if state := workerState(t, store, "ann"); state != workqueue.WorkerDraining {
			t.Errorf("the worker's row says %s, want draining: passes would assign more items to it", state)
		}
		enqueue(t, store, 1, workqueue.NewItem{})
		if got := assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers}); got.Assigned != 0 {
			t.Errorf("%d items were assigned to a draining worker", got.Assigned)
		}
		if got := <-done; got.err != nil || got.ExecuteResult != (runner.ExecuteResult{Succeeded: quick + 2}) {
			t.Errorf("Execute = %+v, want the running item's success and no error", got)
		}
		for _, id := range ids[2:] {
			if it := wantItem(t, store, id, workqueue.Ready, 0); it.ReleaseCount != 0 {
				t.Errorf("the release of item %d counted as a worker's death", id)
			}
			if notes, err := store.Attempts(t.Context(), id); err != nil || len(notes) != 0 {
				t.Errorf("item %d did not run, but has attempts: %v %v", id, notes, err)
			}
		}
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{}) {
			t.Errorf("a draining worker executed %+v", got)
		}
	})
}

func TestReleaseKeepsEarlierError(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		fail := start(t, options(store, "eve", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Error: "too slow"}
		}))
		failed := enqueue(t, store, 1, workqueue.NewItem{Priority: -5})[0]
		assignTo(t, fail, assign.AssignParams{})
		execute(t, fail, runner.ExecuteParams{})
		if err := fail.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		r, _, done := busyAfter(t, store, quick, 3, sleepFor(time.Second), nil)
		wantItem(t, store, failed, workqueue.Blocked, 1)
		r.Drain(t.Context())
		<-done
		it := wantItem(t, store, failed, workqueue.Ready, 1)
		if it.Error == nil || *it.Error != "too slow" || it.ErrorKind == nil || *it.ErrorKind != workqueue.KindTimeout {
			t.Errorf("error %v of kind %v, want those of the earlier failure", it.Error, it.ErrorKind)
		}
	})
}

func TestStopLetsRunningItemsEnd(t *testing.T) {
	for name, long := range map[string]time.Duration{"short timeout": grace, "timeout longer than the lease": 5 * lease} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				r, ids, done := busy(t, store, 2, sleepFor(long-time.Second), func(o *runner.Options) { o.ShutdownGrace = long })
				if err := r.Stop(t.Context()); err != nil {
					t.Errorf("stop: %v", err)
				}
				if got := <-done; got.err != nil || got.Succeeded != 2 {
					t.Errorf("Execute = %+v, want 2 successes", got)
				}
				wantItem(t, store, ids[1], workqueue.Processed, 0)
				if state := workerState(t, store, "ann"); state != workqueue.WorkerStopped {
					t.Errorf("the worker is %s, want stopped: otherwise its name would stay in use", state)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Errorf("second stop: %v", err)
				}
			})
		})
	}
}

func TestStopCancelsAfterShutdownTimeout(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		want time.Duration
	}{{"timeout reached", context.Background(), grace}, {"ctx ended early", ended, 0}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				r, ids, done := busy(t, store, 3, untilCancelled, nil)
				began := time.Now()
				if err := r.Stop(test.ctx); err != nil {
					t.Errorf("stop: %v", err)
				}
				if took := time.Since(began).Round(time.Second); took != test.want {
					t.Errorf("Stop took %s, want %s", took, test.want)
				}
				if got := <-done; got.err != nil || got.Released != 1 {
					t.Errorf("Execute = %+v, want one release", got)
				}
				it := wantItem(t, store, ids[1], workqueue.Ready, 0)
				if it.ReleaseCount != 0 || it.Error == nil || *it.Error != workqueue.ErrDraining.Error() {
					t.Errorf("released %d times, with %v, want 0 and the cause ErrDraining", it.ReleaseCount, it.Error)
				}
				notes, err := store.Attempts(t.Context(), ids[1])
				if err != nil || len(notes) != 1 || notes[0].Outcome != "released" {
					t.Errorf("attempts %+v (%v), want one release", notes, err)
				}
			})
		})
	}
}

func TestStopWaitsForHandlersToStop(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r, ids, _ := busy(t, store, 2, func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			outcome := untilCancelled(ctx, it)
			time.Sleep(3 * time.Second) // it cleans up
			return outcome
		}, nil)
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
		wantItem(t, store, ids[1], workqueue.Ready, 0)
	})
}

func TestStopReportsRunsThatDoNotStop(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		deaf := make(chan struct{})
		defer close(deaf)
		r, ids, done := busy(t, store, 2, func(context.Context, *workqueue.Run) workqueue.Outcome {
			<-deaf
			return workqueue.Outcome{}
		}, nil)
		if err := r.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "1 items did not stop") {
			t.Errorf("stop: %v, want an error that names 1 item", err)
		}
		if got := <-done; !errors.Is(got.err, workqueue.ErrDraining) {
			t.Errorf("Execute: %v, want it to end with an error", got.err)
		}
		wantItem(t, store, ids[1], workqueue.Blocked, 0) // until it is rescued
	})
}

func TestDrainRequestedInDatabase(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		began := time.Now()
		r, ids, done := busy(t, store, 4, untilCancelled, nil)
		if err := store.DrainWorker(t.Context(), "ann", ""); err != nil {
			t.Fatal(err)
		}
		for !r.Suspended() {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(began).Round(time.Second); took > heartbeat {
			t.Errorf("it drained after %s, want at the next heartbeat", took)
		}
		got := <-done
		if got.err != nil || got.ExecuteResult != (runner.ExecuteResult{Succeeded: 1, Released: 1}) {
			t.Errorf("Execute = %+v, want the running item to be released after the timeout", got)
		}
		if diff := cmp.Diff(map[workqueue.State]int{workqueue.Processed: 1, workqueue.Ready: 3}, states(t, store)); diff != "" {
			t.Errorf("states: -want +got\n%s", diff)
		}
		if it := item(t, store, ids[1]); it.Error == nil || *it.Error != workqueue.ErrDraining.Error() {
			t.Errorf("error %v, want the cause ErrDraining", it.Error)
		}
		time.Sleep(10 * lease)
		if state := workerState(t, store, "ann"); state != workqueue.WorkerDraining {
			t.Errorf("the worker is %s, want draining", state)
		}
	})
}

func TestWorkerReplaced(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var cause error
		var stopped time.Time
		r, ids, done := busy(t, store, 4, func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			<-ctx.Done()
			cause, stopped = context.Cause(ctx), time.Now()
			return workqueue.Outcome{Verdict: workqueue.Released}
		}, nil)
		o := options(store, "ann", succeed)
		o.Spec.InstanceID, o.Spec.Replaces = "ann-2", "ann-1"
		second := start(t, o)
		<-r.Replaced()
		replaced := time.Now()
		if got := <-done; got.Succeeded != 1 || got.Released != 1 {
			t.Errorf("Execute = %+v, want the running item stopped and no other started", got)
		}
		// The runner may notice the lost lease before it notices that it was replaced.
		if !errors.Is(cause, workqueue.ErrLeaseLost) || stopped.After(replaced) {
			t.Errorf("stopped %s later with the cause %v, want ErrLeaseLost at once", stopped.Sub(replaced), cause)
		}
		// Stopping the old runner does not affect the new one.
		assignTo(t, second, assign.AssignParams{Workers: assign.AvailableWorkers})
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("stop of the replaced runner: %v", err)
		}
		if state := workerState(t, store, "ann"); state != workqueue.WorkerActive {
			t.Errorf("the new worker is %s, want active", state)
		}
		if got := execute(t, second, runner.ExecuteParams{}); got.Succeeded != 3 {
			t.Errorf("the new runner executed %+v, want the 3 remaining items", got)
		}
		for _, id := range ids {
			wantItem(t, store, id, workqueue.Processed, 0)
		}
	})
}

func TestStartFailsIfNameIsInUse(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		start(t, options(store, "ann", succeed))
		o := options(store, "ann", succeed)
		o.Spec.InstanceID = "ann-2"
		second, err := runner.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var taken *workqueue.NameTakenError
		if err := second.Start(t.Context()); !errors.As(err, &taken) || taken.Host != "host" || taken.PID != 1 {
			t.Errorf("Start: %v, want a NameTakenError with host and pid of the other process", err)
		}
		if err := second.Stop(t.Context()); err != nil {
			t.Errorf("stop of a runner that did not start: %v", err)
		}
	})
}
