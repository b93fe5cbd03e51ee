package runner_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// concurrency counts runs at the same time.
type concurrency struct {
	mu       sync.Mutex
	all      int
	keys     map[string]int
	most     int
	mostKeys map[string]int
}

func (c *concurrency) run(key string, took time.Duration) {
	c.mu.Lock()
	c.all++
	c.keys[key]++
	c.most, c.mostKeys[key] = max(c.most, c.all), max(c.mostKeys[key], c.keys[key])
	c.mu.Unlock()
	time.Sleep(took)
	c.mu.Lock()
	c.all--
	c.keys[key]--
	c.mu.Unlock()
}

// Four workers each make a pass every minute, run their items, and refill when they have none
// left. The limits hold for the items that run, and all items run.
func TestLimitsHoldOverFourWorkers(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		const limit, rate, period, items = 5, 12, time.Minute, 60
		_, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp", QueueLimits: workqueue.QueueLimits{
			Concurrency: limit, KeyConcurrency: 1, Rate: workqueue.Rate{Limit: rate, Per: workqueue.Duration(period)},
		}}}, "test")
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for n := range items {
			key := []string{"a", "b", "", "", "", ""}[n%6]
			ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{QueueName: "erp", LimitKey: key, Priority: n % 3})...)
		}
		crowd := &concurrency{keys: map[string]int{}, mostKeys: map[string]int{}}
		var ran runs
		var workers sync.WaitGroup
		for _, name := range []string{"ann", "bob", "cid", "dan"} {
			o := options(store, name, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
				ran.add(it.ID)
				key := ""
				if it.LimitKey != nil {
					key = *it.LimitKey
				}
				crowd.run(key, 7*time.Second)
				return workqueue.Outcome{}
			})
			o.Spec.Capacity = 2
			r := start(t, o)
			workers.Go(func() {
				for range 10 {
					next := time.Now().Add(time.Minute)
					if _, err := r.Assign(t.Context(), assign.AssignParams{}); err != nil {
						t.Error(err)
					}
					if _, err := r.Execute(t.Context(), runner.ExecuteParams{Refill: true}); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Until(next))
				}
			})
		}
		workers.Wait()
		ran.wantOnce(t, ids)
		if crowd.most != limit || crowd.mostKeys["a"] != 1 || crowd.mostKeys["b"] != 1 {
			t.Errorf("at most %d items ran at a time, %v of the keys; want %d, and 1 of a and of b", crowd.most, crowd.mostKeys, limit)
		}
		var starts []time.Time
		for _, id := range ids {
			starts = append(starts, *wantItem(t, store, id, workqueue.Processed, 0).StartedAt)
		}
		slices.SortFunc(starts, time.Time.Compare)
		for i := rate; i < len(starts); i++ {
			if between := starts[i].Sub(starts[i-rate]); between < period {
				t.Errorf("%d items started within %s, want at most %d within %s", rate+1, between, rate, period)
			}
		}
	})
}

// Between two ticks items start as their rate allows: at four a minute, the starts of twenty
// items take four minutes and not eight.
func TestRateAllowsStartsBetweenTicks(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		_, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp", QueueLimits: workqueue.QueueLimits{
			Rate: workqueue.Rate{Limit: 4, Per: workqueue.Duration(time.Minute)},
		}}}, "test")
		if err != nil {
			t.Fatal(err)
		}
		ids := enqueue(t, store, 20, workqueue.NewItem{QueueName: "erp"})
		var ran runs
		var workers, pipelines sync.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			o := options(store, name, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
				ran.add(it.ID)
				time.Sleep(time.Second)
				return workqueue.Outcome{}
			})
			var r *runner.Runner
			var running sync.Mutex
			started, latency := make(chan struct{}), time.Second
			pipeline := func() {
				<-started
				if !running.TryLock() {
					return // as with overlap: skip
				}
				defer running.Unlock()
				if _, err := r.Assign(t.Context(), assign.AssignParams{}); err != nil {
					t.Error(err)
				}
				// The database answers a little sooner each time, so that the rate
				// allows more starts a little after the pass of the tick.
				latency -= 10 * time.Millisecond
				time.Sleep(latency)
				if _, err := r.Execute(t.Context(), runner.ExecuteParams{Refill: true}); err != nil {
					t.Error(err)
				}
			}
			o.Attend = func(workqueue.Band) { pipelines.Go(pipeline) }
			r = start(t, o)
			close(started)
			workers.Go(func() {
				for range 10 {
					next := time.Now().Add(time.Minute)
					pipeline()
					time.Sleep(time.Until(next))
				}
			})
		}
		workers.Wait()
		pipelines.Wait()
		ran.wantOnce(t, ids)
		first, last := wantItem(t, store, ids[0], workqueue.Processed, 0), wantItem(t, store, ids[19], workqueue.Processed, 0)
		if took := last.StartedAt.Sub(*first.StartedAt); took < 4*time.Minute || took > 5*time.Minute {
			t.Errorf("twenty starts at 4 in 1m took %s, want 4 to 5 minutes", took)
		}
	})
}
