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

// woken is a session that stays, for as long as the test wants it to.
type woken struct {
	*runner.Session
	r    *runner.Runner
	ran  *runs
	done <-chan executed
}

// stayIn makes a pass and an execution of a session that is woken; each run takes so long.
func stayIn(t *testing.T, store storetest.Store, p assign.AssignParams, takes time.Duration) *woken {
	t.Helper()
	w := &woken{ran: &runs{}}
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

// leave ends it.
func (w *woken) leave(t *testing.T) {
	t.Helper()
	w.Leave()
	if got := <-w.done; got.err != nil {
		t.Error(got.err)
	}
}

// A worker that may hold one item at a time is told of the next while the end of the
// last one is being written: it looks again when that is.
func TestAnItemThatComesWhileAnEndIsWrittenIsNotForgotten(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		writing := 200 * time.Millisecond
		slow := &faultStore{Store: store, now: faults{beforeFinish: func(context.Context, []workqueue.Finish) error {
			time.Sleep(writing)
			return nil
		}}}
		w := stayIn(t, slow, assign.AssignParams{}, time.Millisecond)
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

// The pauses between looks that find no room are short again when one was found.
func TestPausesOfAWokenRunBeginAnew(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		writing := 30 * time.Millisecond
		slow := &faultStore{Store: store, now: faults{beforeFinish: func(context.Context, []workqueue.Finish) error {
			time.Sleep(writing)
			return nil
		}}}
		w := stayIn(t, slow, assign.AssignParams{}, 0)
		var ids []int64
		come := func() {
			ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
			w.Wake(true)
			synctest.Wait()
		}
		come()
		for range 8 { // each comes while the last one is being written
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

// What a woken pass takes it need not look for; what another pass has assigned it does.
func TestAWokenPassTellsWhetherThereIsMoreToClaim(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var claims atomic.Int32
		counting := &faultStore{Store: store, now: faults{beforeClaim: func(context.Context) error { claims.Add(1); return nil }}}
		p := assign.AssignParams{Workers: assign.AvailableWorkers}
		w := stayIn(t, counting, p, time.Millisecond)
		before := claims.Load()
		ids := enqueue(t, store, 1, workqueue.NewItem{})
		w.Wake(true)
		time.Sleep(10 * time.Millisecond)
		w.ran.wantOnce(t, ids)
		if n := claims.Load() - before; n != 0 {
			t.Errorf("%d claims after a pass that has told that there is nothing to claim, want none", n)
		}
		// Another pass assigns one, and a woken one takes the next: both run.
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
		pass(t, store, p)
		ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{})...)
		w.Wake(true)
		time.Sleep(10 * time.Millisecond)
		w.ran.wantOnce(t, ids)
		if claims.Load() == before {
			t.Error("what another pass had assigned ran without a claim")
		}
		// More than the slots: the rest is assigned, and claimed by and by.
		ids = append(ids, enqueue(t, store, 30, workqueue.NewItem{})...)
		w.Wake(true)
		time.Sleep(200 * time.Millisecond)
		slices.Sort(ids)
		w.ran.wantOnce(t, ids)
		w.leave(t)
	})
}

// A step whose priorities are known only when it begins comes after one that has ended:
// the session has nothing open in between.
func TestAStepThatBeginsWhenNoneIsOpen(t *testing.T) {
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
