package assign

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"botwork/workqueue"
)

// scaleStore is an assignment store in memory for one large pass: all of its items
// wait.
type scaleStore struct {
	assignMemory
	due     []workqueue.DueItem
	written int
}

func (s *scaleStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return pass(ctx, s)
}

func (s *scaleStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, s)
}

func (s *scaleStore) PassState(context.Context) (workqueue.PassState, error) {
	return workqueue.PassState{Now: time.Unix(1_800_000_000, 0).UTC(), Passes: s.passes}, nil
}

func (s *scaleStore) DueItems(_ context.Context, _ workqueue.Band, _ workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due := s.due[:min(limit, len(s.due))]
	s.due = nil // the pass may change what it gets
	return due, nil
}

func (s *scaleStore) Write(_ context.Context, assignments []workqueue.Assignment) (int, error) {
	s.written += len(assignments)
	return len(assignments), nil
}

// AssignAndClaim takes nothing: the passes here only assign.
func (s *scaleStore) AssignAndClaim(context.Context, []workqueue.Assignment, workqueue.PassClaim) ([]workqueue.Item, error) {
	return nil, nil
}

// scaleLoads are workers of 8 slots with labels, every second of which holds items.
func scaleLoads(n int) []workqueue.WorkerLoad {
	loads := make([]workqueue.WorkerLoad, n)
	for i := range loads {
		loads[i] = workqueue.WorkerLoad{
			WorkerID: int64(i + 1), Name: fmt.Sprint("worker-", i), Capacity: 8,
			Labels: workqueue.JSONText(fmt.Sprintf(`{"site":"site-%d","ram":%d,"gpu":%t}`, i%50, 16<<(i%4), i%10 == 0)),
		}
		if i%2 == 0 {
			loads[i].Held = []workqueue.HeldWork{{Priority: 700, Running: true, Count: 4, Estimate: 4 * minute}}
		}
	}
	return loads
}

// scaleItems returns items as a store reads them, each text once. A tenth has selectors,
// in 300 different texts; expiring makes some of those expire.
func scaleItems(n int, expiring bool) []workqueue.DueItem {
	pipelines := []string{"invoices", "letters", "reports", "films"}
	selectors := make([]workqueue.JSONText, 300)
	for k := range selectors {
		selectors[k] = workqueue.JSONText(fmt.Sprintf(`["site != site-%d","ram >= %d"]`, k%50, 16+k/50))
		if expiring {
			selectors[k] = workqueue.JSONText(fmt.Sprintf(`["site != site-%d",{"key":"ram","operator":"greaterThanOrEqual","value":%d,"expiresAfter":"%dm"}]`, k%50, 16+k/50, 1+k))
		}
	}
	due := make([]workqueue.DueItem, n)
	for i := range due {
		due[i] = workqueue.DueItem{
			ID: int64(i + 1), Priority: 1500 - i*10/n*100, Due: time.Unix(1_800_000_000-int64((n-i)/100), 0).UTC(),
			Pipeline: pipelines[i%4], QueueName: "office",
		}
		if i%2 == 0 {
			due[i].Estimate = time.Duration(1000+i*104729%60_000) * time.Millisecond
		}
		if i%10 == 0 {
			due[i].Selectors = selectors[i/10%300]
		}
	}
	return due
}

// BenchmarkPass measures whole passes but for the database: a million items over a
// thousand workers. The items that a store would have read are made before.
func BenchmarkPass(b *testing.B) {
	const items, workers = 1_000_000, 1_000
	for _, expiring := range []bool{false, true} {
		b.Run(fmt.Sprintf("expiring=%t", expiring), func(b *testing.B) {
			var before, after runtime.MemStats
			var allocated uint64
			for b.Loop() {
				b.StopTimer()
				s := &scaleStore{assignMemory: assignMemory{loads: scaleLoads(workers)}, due: scaleItems(items, expiring)}
				runtime.GC()
				runtime.ReadMemStats(&before)
				b.StartTimer()
				result, err := AssignPass(context.Background(), s, AssignParams{
					Workers: AvailableWorkers, Horizon: 24 * time.Hour,
					Profiles: func(string) workqueue.Profile { return workqueue.Profile{Estimate: minute} },
				})
				b.StopTimer()
				if err != nil || result.Assigned != items || s.written != items {
					b.Fatalf("%d of %d items assigned (%v), want all", result.Assigned, items, err)
				}
				runtime.ReadMemStats(&after)
				allocated += after.TotalAlloc - before.TotalAlloc
				b.StartTimer()
			}
			b.ReportMetric(float64(allocated)/float64(b.N)/1e6, "MB/op")
		})
	}
}
