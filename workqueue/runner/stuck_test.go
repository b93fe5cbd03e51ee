package runner_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// ignoreCancel is a run that ignores the end of its context for d and then returns a success. It
// sends the context's cause to causes.
func ignoreCancel(d time.Duration, causes chan<- error) workqueue.RunItem {
	return func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
		run.Follow("", workqueue.Resilience{})
		run.EnterStep("load")
		time.Sleep(d)
		causes <- context.Cause(ctx)
		return workqueue.Outcome{Output: `"late"`}
	}
}

// stuckSlots returns the number of stuck slots in a worker's row.
func stuckSlots(t *testing.T, store storetest.Store, name string) int {
	t.Helper()
	workers, err := store.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name {
			return w.StuckSlots
		}
	}
	t.Fatalf("no worker %q", name)
	return 0
}

// logged is a log that can be read while a handler writes to it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestRunIgnoresItsTimeLimit(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var log logged
		causes := make(chan error, 1)
		o := options(store, "ann", ignoreCancel(5*time.Minute, causes))
		o.Log = zerolog.New(&log)
		o.Spec.Capacity = 2
		r := start(t, o)
		id := enqueue(t, store, 1, workqueue.NewItem{ResilienceConfig: `{"timeout": "5s", "limit": 2, "delay": "1h", "jitter": 0}`})[0]
		assignTo(t, r, assign.AssignParams{})
		began := time.Now()
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Failed: 1}) {
			t.Errorf("Execute = %+v, want one failure", got)
		}
		if took := time.Since(began); took < 15*time.Second || took > 25*time.Second {
			t.Errorf("Execute returned after %s, want 15 s: the limit of 5 s and the patience of 10 s", took)
		}
		it := wantItem(t, store, id, workqueue.Ready, 1)
		if it.Error == nil || !strings.Contains(*it.Error, `the handler of step "load" ignored its cancellation`) || *it.ErrorKind != workqueue.KindTimeout {
			t.Errorf("error %v of kind %v, want a timeout of the stuck handler", it.Error, it.ErrorKind)
		}
		attempts, err := store.Attempts(t.Context(), id)
		if err != nil || len(attempts) != 1 || attempts[0].Outcome != "timeout" || *attempts[0].Step != "load" {
			t.Errorf("attempts %+v, %v, want one that timed out in step load", attempts, err)
		}
		time.Sleep(2 * heartbeat)
		if n := stuckSlots(t, store, "ann"); n != 1 {
			t.Errorf("%d slots are stuck, want 1", n)
		}
		if !strings.Contains(log.String(), `"item_id":1,"step":"load","cancelled_s":1`) {
			t.Errorf("log: %s\nwant the stuck handler with its item, step and seconds", log.String())
		}
		var limit *workqueue.TimeLimitError
		if cause := <-causes; !errors.As(cause, &limit) || limit.Limit != 5*time.Second || !errors.Is(cause, context.DeadlineExceeded) {
			t.Errorf("the run's cause is %v, want the limit of 5 s", cause)
		}
		time.Sleep(2 * heartbeat)
		if n := stuckSlots(t, store, "ann"); n != 0 {
			t.Errorf("%d slots are stuck after the handler returned, want 0", n)
		}
		after := wantItem(t, store, id, workqueue.Ready, 1)
		if after.Output != "" || !strings.Contains(log.String(), "late result discarded") {
			t.Errorf("output %s, log %s; want the late result to be refused", after.Output, log.String())
		}
	})
}

func TestRunIgnoresItsLostLease(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store}
		causes := make(chan error, 1)
		_, ids, done := busy(t, faulty, 4, func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			faulty.set(faults{beforeBeat: func(context.Context) error { return errDown }})
			return ignoreCancel(10*lease, causes)(ctx, it)
		}, nil)
		began := time.Now()
		// Its only slot is stuck: other workers must run the waiting items.
		got := <-done
		if got.Succeeded != 1 || got.Released != 1 || got.err == nil || !strings.Contains(got.err.Error(), "all slots are stuck") {
			t.Errorf("Execute = %+v, want one success, one release, and the reason", got)
		}
		wantItem(t, store, ids[2], workqueue.Ready, 0)
		wantItem(t, store, ids[3], workqueue.Ready, 0)
		if took := time.Since(began); took > 2*lease {
			t.Errorf("Execute returned after %s, want it not to wait for the stuck handler", took)
		}
		faulty.set(faults{}) // heartbeats are accepted again; the item is no longer held
		time.Sleep(lease)
		bob := start(t, options(store, "bob", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Output: `"new"`}
		}))
		if got := assignTo(t, bob, assign.AssignParams{}); got.Rescued != 1 {
			t.Errorf("pass: %+v, want it to rescue the item", got)
		}
		execute(t, bob, runner.ExecuteParams{})
		if cause := <-causes; !errors.Is(cause, workqueue.ErrLeaseLost) {
			t.Errorf("the run's cause is %v, want ErrLeaseLost", cause)
		}
		time.Sleep(lease)
		if it := wantItem(t, store, ids[1], workqueue.Processed, 0); it.Output != `"new"` {
			t.Errorf("output %s, want that of the second run", it.Output)
		}
	})
}

// A draining worker keeps the lease of a run that does not stop, so its result is written.
func TestRunIgnoresDrain(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		causes := make(chan error, 1)
		_, ids, done := busy(t, store, 2, ignoreCancel(10*time.Minute, causes), nil)
		if err := store.DrainWorker(t.Context(), "ann", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if n := stuckSlots(t, store, "ann"); n != 1 {
			t.Errorf("%d slots are stuck, want 1", n)
		}
		wantItem(t, store, ids[1], workqueue.Blocked, 0)
		if got := <-done; got.Succeeded != 2 {
			t.Errorf("Execute = %+v, want both successes", got)
		}
		if cause := <-causes; !errors.Is(cause, workqueue.ErrDraining) {
			t.Errorf("the run's cause is %v, want ErrDraining", cause)
		}
		if it := wantItem(t, store, ids[1], workqueue.Processed, 0); it.Output != `"late"` {
			t.Errorf("output %s", it.Output)
		}
	})
}
