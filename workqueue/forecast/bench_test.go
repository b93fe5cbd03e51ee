package forecast

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"botwork/workqueue/assign"
)

// BenchmarkForecast draws 200 histories of 100,000 waiting items of four priorities and ten pipelines for
// 100 workers with four slots. A tenth of the items is for a third of the workers; three of a hundred attempts fail.
func BenchmarkForecast(b *testing.B) {
	for _, items := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			slots := make([]int, 100)
			for i := range slots {
				slots[i] = 4
			}
			r := emptyPresent(slots...)
			for i := range r.situation.Workers {
				if i%3 == 0 {
					r.situation.Workers[i].Labels = `{"gpu": true}`
				}
			}
			for n := range 10 {
				name := fmt.Sprintf("p%d", n)
				var runs []time.Duration
				for i := range 100 {
					runs = append(runs, time.Duration((n+1)*1000+i*i*7)*time.Millisecond)
				}
				r.learn(name, runs...)
				r.failures[name] = failureRate{fails: 0.03, again: 1}
			}
			r.estimateAsLearned(b)
			for id := range items {
				r.add(int64(id+1), []int{300, 500, 700, 1200}[id%4], fmt.Sprintf("p%d", id%10), func(it *assign.SimItem) {
					if id%10 == 0 {
						it.Selectors = `[{"key": "gpu", "operator": "exists"}]`
					}
				})
			}
			var most uint64
			for b.Loop() {
				f, err := r.Make(b.Context(), Params{})
				if err != nil || f.NeverStart > 0 || f.All.Empty.P95 == nil {
					b.Fatalf("%+v: %v", f.All, err)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.Sys)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items)/DefaultHistories, "ns/item-history")
			b.ReportMetric(float64(most)/1e6, "MB")
		})
	}
}
