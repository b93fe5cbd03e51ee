package runner_test

import (
	"context"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// A claimed item that a user cancels while it waits does not start, although the worker does not
// record the starts of such short items.
func TestItemCancelledInLineDoesNotStart(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		began := map[int64]time.Time{}
		o := shortItemOptions(store, "ann", &ran)
		run := o.RunItem
		o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.mu.Lock()
			began[it.ID] = time.Now()
			ran.mu.Unlock()
			return run(ctx, it)
		}
		r := start(t, o)
		const n = 2000
		enqueue(t, store, n, workqueue.NewItem{Estimate: time.Millisecond})
		cancelled := map[int64]time.Time{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for len(cancelled) < 20 { // one at a time, the last of the claimed items that wait
				time.Sleep(7 * time.Millisecond)
				claimed, err := store.Items(t.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}, Limit: n})
				if err != nil {
					t.Error(err)
					return
				}
				ran.mu.Lock()
				var last int64
				for _, it := range claimed {
					if began[it.ID].IsZero() {
						last = max(last, it.ID)
					}
				}
				ran.mu.Unlock()
				if last == 0 {
					continue
				}
				if _, err := store.ChangeItem(t.Context(), last, workqueue.Change{Action: workqueue.Cancel, Reason: "not wanted"}); err != nil {
					t.Error(err)
					return
				}
				cancelled[last] = time.Now()
			}
		}()
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{Refill: true})
		<-done
		for id, at := range cancelled {
			if late := began[id].Sub(at); late > 50*time.Millisecond {
				t.Errorf("item %d started %s after it was cancelled", id, late)
			}
		}
		if len(ran.order) > n-10 {
			t.Errorf("%d of %d items ran, 20 were cancelled", len(ran.order), n)
		}
	})
}
