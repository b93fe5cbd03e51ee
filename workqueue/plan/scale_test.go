package plan_test

import (
	"fmt"
	"runtime"
	"testing"

	"botwork/workqueue/plan"
)

// BenchmarkPlan plans in memory: n items on w workers with 8 slots. A tenth of the items
// has selectors, in 64 different combinations.
func BenchmarkPlan(b *testing.B) {
	for _, w := range []int{10, 100, 1_000, 10_000} {
		for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("workers=%d/items=%d", w, n), func(b *testing.B) {
				list := make([]plan.Worker, w)
				for i := range list {
					list[i] = plan.Worker{ID: int64(i + 1), Slots: 8}
				}
				items := make([]plan.Item, n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					o := roomy()
					p := plan.New(list, nil, nil, o)
					all := p.Class(plan.Class{})
					var picky [64]int
					for i := range picky {
						set := plan.NewSet(w)
						set.Add(i % w)
						for at := range w {
							if (at*31+i)%64 < 20 {
								set.Add(at)
							}
						}
						picky[i] = p.Class(plan.Class{Eligible: set})
					}
					for i := range items {
						items[i] = plan.Item{ID: int64(i + 1), Priority: 500 + i*7919%1000/100*100, Estimate: int64(1000 + i*104729%60_000), Due: int64(i / 1000), Class: all}
						if i%10 == 0 {
							items[i].Class = picky[i/10%64]
						}
					}
					p.Sort(items, minute)
					for i := range items {
						p.Assign(&items[i])
					}
					if plan, _ := p.Plan(); len(plan) != n {
						b.Fatalf("%d of %d items were assigned", len(plan), n)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB/op")
			})
		}
	}
}
