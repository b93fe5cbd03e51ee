package runner_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// slowFinish blocks writes of results until the test releases them.
type slowFinish struct {
	runner.Store
	letGo chan struct{}
}

func (s slowFinish) Finish(ctx context.Context, worker int64, instance string, fs []workqueue.Finish) ([]int64, error) {
	<-s.letGo
	return s.Store.Finish(ctx, worker, instance, fs)
}

func TestSlotWaitsForItsResultIfRunWritesFirst(t *testing.T) {
	for _, first := range []bool{true, false} {
		bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
			store := slowFinish{sqlite, make(chan struct{})}
			var ran runs
			o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
				if first {
					it.FinishSynchronously()
				}
				ran.add(it.ID)
				return workqueue.Outcome{}
			})
			r := start(t, o)
			enqueue(t, sqlite, 2, workqueue.NewItem{Estimate: time.Second})
			assignTo(t, r, assign.AssignParams{})
			done := make(chan runner.ExecuteResult, 1)
			go func() {
				got, _ := r.Execute(t.Context(), runner.ExecuteParams{})
				done <- got
			}()
			synctest.Wait()
			ran.mu.Lock()
			begun, want := len(ran.order), 2
			if first {
				want = 1
			}
			if begun != want {
				t.Errorf("write first %t: %d items started while the first result was being written, want %d", first, begun, want)
			}
			ran.mu.Unlock()
			close(store.letGo)
			if got := <-done; got.Succeeded != 2 {
				t.Errorf("Execute = %+v, want 2 successes", got)
			}
		})
	}
}
