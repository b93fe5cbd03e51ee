package runner_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// stayingSession is a session that waits for work until the test ends it.
type stayingSession struct {
	*runner.Session
	r    *runner.Runner
	ran  *runs
	done <-chan executeAnswer
}

// startStaying makes a pass and starts Execute in a session that is woken. Each item runs for
// takes.
func startStaying(t *testing.T, store storetest.Store, p assign.AssignParams, takes time.Duration) *stayingSession {
	t.Helper()
	w := &stayingSession{ran: &runs{}}
	w.r = start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
		w.ran.add(it.ID)
		time.Sleep(takes)
		return workqueue.Outcome{}
	}))
	w.Session = w.r.NewSession(runner.SessionOptions{Steps: []runner.SessionStep{{Name: "run"}}, Wakes: true, StayFor: time.Hour})
	t.Cleanup(func() { w.End() })
	if _, err := w.r.Assign(w.With(t.Context()), p); err != nil {
		t.Fatal(err)
	}
	w.done = background(t, w.r, runner.ExecuteParams{Refill: true, Session: w.Session, Step: "run"})
	synctest.Wait()
	return w
}

// leave ends the session.
func (w *stayingSession) leave(t *testing.T) {
	t.Helper()
	w.Leave()
	if got := <-w.done; got.err != nil {
		t.Error(got.err)
	}
}

// A halted session ends its running item and starts no other one, and its next step starts none.
func TestHaltedSessionStartsNoItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		w := startStaying(t, store, assign.AssignParams{}, time.Second)
		ids := enqueue(t, store, 20, workqueue.NewItem{})
		w.Wake(true)
		time.Sleep(500 * time.Millisecond)
		w.Halt()
		w.Halt()
		if w.Wake(true) {
			t.Error("a halted session can be woken")
		}
		if got := <-w.done; got.err != nil {
			t.Errorf("Execute = %v, want no error", got.err)
		}
		begun := w.ran.total()
		if begun == 0 || begun == len(ids) {
			t.Errorf("%d of %d items have run, want those that ran at the halt", begun, len(ids))
		}
		result, err := w.r.Execute(w.With(t.Context()), runner.ExecuteParams{Session: w.Session, Step: "next"})
		if err != nil || result != (runner.ExecuteResult{}) || w.ran.total() != begun {
			t.Errorf("the next step: %+v, %v, want nothing", result, err)
		}
		time.Sleep(time.Second) // the claimed ones are given back
		items, err := store.Items(t.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}})
		if err != nil || len(items) > 0 {
			t.Errorf("%d items are still claimed, %v", len(items), err)
		}
	})
}

// A worker that may hold one item at a time is notified of the next item while the outcome of the
// last one is being written. It looks for items again when the outcome is written.
func TestItemEnqueuedDuringFinishIsNotForgotten(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		writing := 200 * time.Millisecond
		slow := &faultStore{Store: store, now: faults{beforeFinish: func(context.Context, []workqueue.Finish) error {
			time.Sleep(writing)
			return nil
		}}}
		w := startStaying(t, slow, assign.AssignParams{}, time.Millisecond)
		ids := enqueue(t, store, 1, workqueue.NewItem{})
		w.Wake(true)
		time.Sleep(writing / 2)
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
		w.Wake(true)
		time.Sleep(writing)
		w.ran.wantOnce(t, ids)
		w.leave(t)
	})
}

// The pauses between passes that find no room are short again after a pass that found room.
func TestPausesOfWokenSessionRestart(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		writing := 30 * time.Millisecond
		slow := &faultStore{Store: store, now: faults{beforeFinish: func(context.Context, []workqueue.Finish) error {
			time.Sleep(writing)
			return nil
		}}}
		w := startStaying(t, slow, assign.AssignParams{}, 0)
		var ids []int64
		come := func() {
			ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
			w.Wake(true)
			synctest.Wait()
		}
		come()
		for range 8 { // each is enqueued while the outcome of the last one is being written
			time.Sleep(writing - 15*time.Millisecond)
			come()
			time.Sleep(15 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(writing)
		synctest.Wait()
		come()
		w.ran.wantOnce(t, ids)
		w.leave(t)
	})
}

// After a pass of a woken session that claimed its items, no other claim is made, except for items
// that another pass has assigned.
func TestWokenPassReportsWhetherMoreCanBeClaimed(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var claims atomic.Int32
		counting := &faultStore{Store: store, now: faults{beforeClaim: func(context.Context) error { claims.Add(1); return nil }}}
		p := assign.AssignParams{Workers: assign.AvailableWorkers}
		w := startStaying(t, counting, p, time.Millisecond)
		before := claims.Load()
		ids := enqueue(t, store, 1, workqueue.NewItem{})
		w.Wake(true)
		time.Sleep(10 * time.Millisecond)
		w.ran.wantOnce(t, ids)
		if n := claims.Load() - before; n != 0 {
			t.Errorf("%d claims after a pass that reported that there is nothing to claim, want none", n)
		}
		// Another pass assigns one item, and a pass of the session claims the next: both run.
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
		pass(t, store, p)
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
		w.Wake(true)
		time.Sleep(10 * time.Millisecond)
		w.ran.wantOnce(t, ids)
		if claims.Load() == before {
			t.Error("the item that another pass had assigned ran without a claim")
		}
		// More items than slots: the rest is assigned, and claimed later.
		ids = append(ids, enqueue(t, store, 30, workqueue.NewItem{})...)
		w.Wake(true)
		time.Sleep(200 * time.Millisecond)
		slices.Sort(ids)
		w.ran.wantOnce(t, ids)
		w.leave(t)
	})
}

// A step whose priorities are known only when it starts follows one that has ended: in between,
// the session has no open step.
func TestStepThatStartsWhenNoneIsOpen(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			return workqueue.Outcome{}
		}))
		s := r.NewSession(runner.SessionOptions{Steps: []runner.SessionStep{{Name: "first"}, {Name: "second"}}})
		defer s.End()
		for _, step := range []string{"first", "second", "second"} {
			ids := enqueue(t, store, 1, workqueue.NewItem{})
			assignTo(t, r, assign.AssignParams{})
			if got := execute(t, r, runner.ExecuteParams{Session: s, Step: step}); got.Succeeded != 1 {
				t.Errorf("step %s: %+v, want item %d to succeed", step, got, ids[0])
			}
		}
	})
}
