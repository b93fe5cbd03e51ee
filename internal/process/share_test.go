package process_test

import (
	"context"
	"sync"
	"testing"

	"botwork/handlers"
	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestTwoProcessesShareItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		const n = 300
		for range n {
			x.enqueue(workqueue.NewItem{Priority: 1000})
		}
		// Both are registered before the first pass, which assigns half of the items to each.
		processes := []*process.Process{x.new(x.newOptions("a")), x.new(x.newOptions("b"))}
		times, by := map[int64]int{}, map[string]int{}
		// A pass of the process that still runs may assign items to the one that has ended.
		for rounds := 0; len(times) < n && rounds < 10; rounds++ {
			var wg sync.WaitGroup
			for _, p := range processes {
				wg.Go(func() {
					if err := p.RunOnce(t.Context(), medium); err != nil {
						t.Errorf("%s: %v", p.Worker().Name, err)
					}
				})
			}
			wg.Wait()
			for _, r := range x.drainRuns() {
				times[r.Item]++
				by[r.Worker]++
			}
		}
		for id, n := range times {
			if n != 1 {
				t.Errorf("item %d ran %d times, want once", id, n)
			}
			x.wantState(workqueue.Processed, id)
		}
		if len(times) != n || by["a"] == 0 || by["b"] == 0 {
			t.Errorf("%d items ran, by worker %v; want %d, some by each", len(times), by, n)
		}
	})
}

// The only worker is full of items below 500. Urgent items are still assigned to it.
func TestUrgentItemsAssignedToWorkerFullOfLowItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		started, end := make(chan struct{}, 1), make(chan struct{})
		x.kinds["Hold"] = func(context.Context, *handlers.Call) (any, error) {
			started <- struct{}{}
			<-end
			return nil, nil
		}
		x.files["hold"] = "steps:\n  - handler: Hold\n"
		slow := x.enqueue(workqueue.NewItem{Priority: 499, IntegrationConfig: "hold"})
		b := x.newOptions("w")
		b.Spec.Capacity = 2
		p := x.new(b)
		ended := make(chan error, 1)
		go func() { ended <- p.RunOnce(t.Context(), low) }()
		receive(t, started, "start of the low item")

		urgent := x.enqueue(workqueue.NewItem{Priority: 1001})
		if err := p.RunOnce(t.Context(), medium); err != nil {
			t.Error(err)
		}
		x.wantState(workqueue.Processed, urgent)
		x.wantState(workqueue.Blocked, slow)
		close(end)
		if err := receive(t, ended, "end of the low pipeline"); err != nil {
			t.Error(err)
		}
		x.wantState(workqueue.Processed, slow)
	})
}
