package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// foldStore counts the batches of statistics that are compacted.
type foldStore struct {
	runner.Store

	mu        sync.Mutex
	calls     int
	compacted int
	instead   func(ctx context.Context, limit int) (int, error) // of the store; nil: the store does it
}

func (s *foldStore) CompactStatistics(ctx context.Context, limit int) (compacted int, err error) {
	s.mu.Lock()
	do := s.instead
	s.calls++
	s.mu.Unlock()
	if do == nil {
		do = s.Store.CompactStatistics
	}
	compacted, err = do(ctx, limit)
	s.mu.Lock()
	s.compacted += compacted
	s.mu.Unlock()
	return compacted, err
}

func (s *foldStore) set(instead func(ctx context.Context, limit int) (int, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = instead
}

func (s *foldStore) counts() (calls, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, s.compacted
}

// One of the workers compacts the statistics within two minutes, and the figures stay the same.
func TestWorkersCompactStatistics(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		folds := &foldStore{Store: store}
		o := options(folds, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		})
		ann := start(t, o)
		o.Spec.Name, o.Spec.InstanceID = "bob", "bob-1"
		start(t, o)
		const n = 20
		enqueue(t, store, n, workqueue.NewItem{})
		assignTo(t, ann, assign.AssignParams{Workers: assign.AvailableWorkers})
		execute(t, ann, runner.ExecuteParams{})
		ended := states(t, store)[workqueue.Processed]
		time.Sleep(2 * time.Minute)
		calls, taken := folds.counts()
		if ended == 0 || taken < ended || calls > 6 { // two or three by each, since no batch was full
			t.Errorf("%d items ended; %d rows were compacted by %d calls, want all of them by a few calls", ended, taken, calls)
		}
		if left, err := store.CompactStatistics(t.Context(), 0); err != nil || left != 0 {
			t.Errorf("the workers left %d rows uncompacted, %v", left, err)
		}
		figures, err := store.Statistics(t.Context(), workqueue.DefaultQueue)
		if err != nil || figures[0].Items[workqueue.LifeCompleted] != int64(ended) || figures[0].Windows[3].Completed != int64(ended) {
			t.Errorf("statistics = %+v, %v, want %d completed items", figures, err, ended)
		}
	})
}

// An error is logged, and the worker tries again a minute later. Compaction pauses after each
// batch, and ends after half a minute or when the worker drains.
func TestCompactionIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var log logged
		folds := &foldStore{Store: store}
		folds.set(func(context.Context, int) (int, error) { return 0, errDown })
		o := options(folds, "ann", nil)
		o.RunItem = func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }
		o.Log = zerolog.New(&log)
		ann := start(t, o)
		time.Sleep(3*time.Minute + time.Second)
		if calls, _ := folds.counts(); calls < 3 || calls > 4 || strings.Count(log.String(), errDown.Error()) != calls {
			t.Errorf("%d calls in 3 minutes, want one in each, with a log line each:\n%s", calls, log.String())
		}

		folds.set(func(_ context.Context, limit int) (int, error) {
			time.Sleep(time.Second)
			return limit, nil
		})
		before, _ := folds.counts()
		time.Sleep(15 * time.Minute)
		after, _ := folds.counts()
		if batches := after - before; batches < 130 || batches > 165 {
			t.Errorf("%d batches of a second in 15 minutes, want 15 in 90 seconds: half a minute of batches and pauses, then a minute without", batches)
		}
		// A drain ends it at any time.
		began := time.Now()
		if err := ann.Stop(t.Context()); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("the worker stopped after %s, %v, want at once", time.Since(began), err)
		}
		stopped, _ := folds.counts()
		time.Sleep(10 * time.Minute)
		if calls, _ := folds.counts(); calls != stopped {
			t.Errorf("%d batches after the worker has stopped", calls-stopped)
		}
	})
}
