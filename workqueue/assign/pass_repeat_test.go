package assign

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// passScene is what a pass that must be repeatable reads: workers with labels and
// queues, and items of several queues, with selectors or without.
func passScene() (loads []workqueue.WorkerLoad, items []workqueue.DueItem) {
	for i := range 7 {
		loads = append(loads, workqueue.WorkerLoad{
			WorkerID: int64(10 * (i + 1)), Name: fmt.Sprint("worker-", i), Capacity: 3 + i%3, Reserved: i % 2,
			Labels: workqueue.JSONText(fmt.Sprintf(`{"site":"site-%d","ram":%d}`, i%3, 16<<(i%4))),
		})
		if i%3 == 0 {
			loads[i].Queues = `["alpha","beta"]`
		}
	}
	for i := range 60 {
		it := workqueue.DueItem{
			ID: int64(i + 1), Priority: 600 + 100*(i%7), Estimate: time.Duration(i%11) * time.Second,
			QueueName: []string{"", "alpha", "beta", "gamma"}[i%4],
		}
		if i%5 < 2 {
			it.Selectors = workqueue.JSONText(fmt.Sprintf(`["site != site-%d","ram >= %d"]`, i%3, 16<<(i%2)))
		}
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b workqueue.DueItem) int { return b.Priority - a.Priority })
	return loads, items
}

// Two passes over the same rows write the same assignments: nothing depends on the
// order of a map.
func TestPassIsRepeatable(t *testing.T) {
	for _, mode := range []matching.Mode{matching.LeastLoaded, matching.RoundRobin, matching.LongestIdle, matching.BestWorker} {
		for _, free := range []bool{true, false} {
			var want map[int64]int64
			for range 20 {
				loads, items := passScene()
				m := &assignMemory{loads: loads, items: items, given: map[int64]int64{}}
				p := AssignParams{Band: workqueue.EveryPriority, Workers: AvailableWorkers, FreeSlots: free, Distribution: matching.Distribution{Mode: mode}}
				result, err := AssignPass(context.Background(), m, p)
				if err != nil || result.Assigned == 0 {
					t.Fatalf("%s: %d items assigned, %v", mode, result.Assigned, err)
				}
				if want == nil {
					want = m.given
				}
				for _, it := range items {
					if m.given[it.ID] != want[it.ID] {
						t.Fatalf("%s: item %d went to worker %d, before to %d", mode, it.ID, m.given[it.ID], want[it.ID])
					}
				}
			}
		}
	}
}
