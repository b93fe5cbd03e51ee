package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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

// together is the batch of the items of these tests.
var together = workqueue.NewItem{Batch: &workqueue.ItemBatch{Key: "C1", Max: 4, Wait: 10 * time.Second, AtMost: time.Minute}}

// endings returns the status of each item with its failures.
func endings(t *testing.T, store storetest.Store, ids []int64) (list []string) {
	t.Helper()
	for _, id := range ids {
		it := item(t, store, id)
		list = append(list, fmt.Sprintf("%s %d", it.Status(), it.RetryCount))
	}
	return list
}

func TestBatchItemsEndOneByOne(t *testing.T) {
	const retry = `{"limit": 2, "delay": "1m", "jitter": 0}`
	failed := workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "no session"}
	for _, c := range []struct {
		name string
		run  func(ctx context.Context, run *workqueue.Run) workqueue.Outcome
		want []string
		sum  runner.ExecuteResult
	}{
		{"all succeed", func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{Output: `"ok"`} },
			[]string{"Succeeded 0", "Succeeded 0", "Succeeded 0"}, runner.ExecuteResult{Succeeded: 3}},
		{"all fail", func(context.Context, *workqueue.Run) workqueue.Outcome { return failed },
			[]string{"Retry 1", "Retry 1", "Retry 1"}, runner.ExecuteResult{Failed: 3}},
		{"one fails, one for good", func(_ context.Context, run *workqueue.Run) workqueue.Outcome {
			run.Batch.Fail(run.Batch.Items[0].ID, workqueue.KindError, "no such article")
			run.Batch.Fail(run.Batch.Items[2].ID, workqueue.KindBusiness, "account closed")
			return workqueue.Outcome{}
		}, []string{"Retry 1", "Succeeded 0", "Business error 1"}, runner.ExecuteResult{Succeeded: 1, Failed: 2}},
		{"all wait again", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Verdict: workqueue.Snoozed, After: time.Hour}
		}, []string{"Scheduled 0", "Scheduled 0", "Scheduled 0"}, runner.ExecuteResult{Snoozed: 3}},
		{"one leaves", func(_ context.Context, run *workqueue.Run) workqueue.Outcome {
			run.Batch.Leave(run.Batch.Items[1].ID)
			return failed
		}, []string{"Retry 1", "Pending 0", "Retry 1"}, runner.ExecuteResult{Failed: 2, Released: 1}},
		{"a panic", func(context.Context, *workqueue.Run) workqueue.Outcome { panic("oops") },
			[]string{"Retry 1", "Retry 1", "Retry 1"}, runner.ExecuteResult{Failed: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				runs := 0
				r := start(t, options(store, "ann", func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
					runs++
					return c.run(ctx, run)
				}))
				like := together
				like.ResilienceConfig = retry
				ids := enqueue(t, store, 3, like)
				if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 0 {
					t.Errorf("%d items were assigned before their batch was due", got.Assigned)
				}
				time.Sleep(10 * time.Second)
				if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 1 {
					t.Errorf("%d items were assigned, want the leader alone", got.Assigned)
				}
				if got := execute(t, r, runner.ExecuteParams{}); got != c.sum || runs != 1 {
					t.Errorf("%d runs ended as %+v, want one, and %+v", runs, got, c.sum)
				}
				if diff := cmp.Diff(c.want, endings(t, store, ids)); diff != "" {
					t.Errorf("the items ended as (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A batch has at most Max items, and a worker with more slots does not divide it.
func TestBatchIsNotDivided(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var mu sync.Mutex
		var sizes []int
		o := options(store, "ann", func(_ context.Context, run *workqueue.Run) workqueue.Outcome {
			mu.Lock()
			sizes = append(sizes, len(run.Batch.Items))
			mu.Unlock()
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity = 8
		r := start(t, o)
		enqueue(t, store, 3, together)
		time.Sleep(10 * time.Second)
		for range 2 {
			assignTo(t, r, assign.AssignParams{})
		}
		execute(t, r, runner.ExecuteParams{})
		enqueue(t, store, 10, together)
		time.Sleep(10 * time.Second)
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{Refill: true})
		for range 3 {
			assignTo(t, r, assign.AssignParams{})
			execute(t, r, runner.ExecuteParams{})
		}
		total := 0
		for _, n := range sizes {
			total += n
			if n > 4 {
				t.Errorf("a run had %d items, want at most 4", n)
			}
		}
		if sizes[0] != 3 || len(sizes) != 4 || total != 13 {
			t.Errorf("the runs had %v items, want 3 and then 10 in three runs", sizes)
		}
	})
}

// The run goes on without an item that a person cancels, also without the one that started it.
func TestBatchGoesOnWithoutCancelledItem(t *testing.T) {
	for cancelled := range 3 {
		bubble(t, func(t *testing.T, store *sqlstore.Store) {
			var cause error
			r := start(t, options(store, "ann", func(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
				select {
				case <-ctx.Done():
					cause = context.Cause(ctx)
				case <-time.After(40 * time.Second):
				}
				return workqueue.Outcome{}
			}))
			ids := enqueue(t, store, 3, together)
			time.Sleep(10 * time.Second)
			assignTo(t, r, assign.AssignParams{})
			done := background(t, r, runner.ExecuteParams{})
			time.Sleep(5 * time.Second)
			if _, err := store.ChangeItem(t.Context(), ids[cancelled], workqueue.Change{Action: workqueue.Cancel, By: "ann"}); err != nil {
				t.Fatal(err)
			}
			answer := <-done
			want := []string{"Succeeded 0", "Succeeded 0", "Succeeded 0"}
			want[cancelled] = "Cancelled 0"
			if diff := cmp.Diff(want, endings(t, store, ids)); diff != "" || cause != nil {
				t.Errorf("the run was ended by %v; the items ended as (-want +got):\n%s", cause, diff)
			}
			if answer.err != nil || answer.Succeeded != 2 {
				t.Errorf("Execute = %+v, want two successes", answer)
			}
		})
	}
}

// A run ends early when all its items are lost, at its time limit, and in a drain.
func TestBatchEndsEarly(t *testing.T) {
	until := func(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
		<-ctx.Done()
		cause := context.Cause(ctx)
		if errors.Is(cause, context.DeadlineExceeded) {
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindTimeout, Error: cause.Error()}
		}
		return workqueue.Outcome{Verdict: workqueue.Released, Error: cause.Error()}
	}
	for _, c := range []struct {
		name string
		like func(*workqueue.NewItem)
		do   func(t *testing.T, r *runner.Runner, store *sqlstore.Store, ids []int64)
		want []string
	}{
		{"all are cancelled", nil, func(t *testing.T, _ *runner.Runner, store *sqlstore.Store, ids []int64) {
			for _, id := range ids {
				if _, err := store.ChangeItem(t.Context(), id, workqueue.Change{Action: workqueue.Cancel, By: "ann"}); err != nil {
					t.Fatal(err)
				}
			}
		}, []string{"Cancelled 0", "Cancelled 0"}},
		{"the worker stops", nil, func(t *testing.T, r *runner.Runner, _ *sqlstore.Store, _ []int64) {
			if err := r.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}, []string{"Pending 0", "Pending 0"}},
		{"the time is up", func(it *workqueue.NewItem) { it.FinishIn = 40 * time.Second }, nil, []string{"Expired 1", "Expired 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				r := start(t, options(store, "ann", until))
				like := together
				if c.like != nil {
					c.like(&like)
				}
				ids := enqueue(t, store, 2, like)
				time.Sleep(10 * time.Second)
				assignTo(t, r, assign.AssignParams{})
				done := background(t, r, runner.ExecuteParams{})
				time.Sleep(5 * time.Second)
				if c.do != nil {
					c.do(t, r, store, ids)
				}
				<-done
				if diff := cmp.Diff(c.want, endings(t, store, ids)); diff != "" {
					t.Errorf("the items ended as (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Only the item whose time is up expires; the run goes on for the others.
func TestBatchItemExpires(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, options(store, "ann", func(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
			select {
			case <-ctx.Done():
				t.Errorf("the run was ended: %v", context.Cause(ctx))
			case <-time.After(40 * time.Second):
			}
			return workqueue.Outcome{}
		}))
		soon := together
		soon.FinishIn = 30 * time.Second
		ids := append(enqueue(t, store, 1, soon), enqueue(t, store, 1, together)...)
		time.Sleep(10 * time.Second)
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		if diff := cmp.Diff([]string{"Expired 1", "Succeeded 0"}, endings(t, store, ids)); diff != "" {
			t.Errorf("the items ended as (-want +got):\n%s", diff)
		}
	})
}

// After a worker died with a batch, each of its items is rescued, counts the release, and runs
// alone: the one that kills workers does not cancel the others.
func TestBatchPoison(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var poison int64
		var sizes []int
		ids := enqueue(t, store, 3, together)
		poison = ids[1]
		for n := 1; n <= 8; n++ {
			down := &faultStore{Store: store}
			name := fmt.Sprintf("w%d", n)
			o := options(down, name, func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
				sizes = append(sizes, len(run.Batch.Items))
				for _, it := range run.Batch.Items {
					if it.ID == poison {
						time.Sleep(time.Second)           // the results of earlier runs are written meanwhile
						down.set(faults{always: errDown}) // the process is gone
						<-ctx.Done()
					}
				}
				return workqueue.Outcome{}
			})
			r, err := runner.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			for range 3 {
				_, _ = r.Assign(t.Context(), assign.AssignParams{})
				go func() { _, _ = r.Execute(t.Context(), runner.ExecuteParams{}) }()
				time.Sleep(time.Second)
			}
			_ = r.Stop(t.Context())
			time.Sleep(2 * lease)
			synctest.Wait()
		}
		it := item(t, store, poison)
		if it.State != workqueue.Cancelled || it.ErrorKind == nil || *it.ErrorKind != workqueue.KindPoison {
			t.Errorf("the item that kills workers is %s (%v), want it cancelled as poison", it.Status(), it.ErrorKind)
		}
		for _, id := range []int64{ids[0], ids[2]} {
			if it := item(t, store, id); it.State != workqueue.Processed || it.ReleaseCount != 1 {
				t.Errorf("item %d is %s after %d releases, want a success after one", id, it.Status(), it.ReleaseCount)
			}
		}
		if sizes[0] != 3 || strings.Count(fmt.Sprint(sizes), "3") != 1 {
			t.Errorf("the runs had %v items, want 3 and then 1 each", sizes)
		}
	})
}
