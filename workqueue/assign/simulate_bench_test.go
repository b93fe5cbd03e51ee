package assign_test

import (
	"fmt"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// bigSituation has items of four priorities for workers with four slots; a tenth of the items is for a
// third of the workers.
func bigSituation(b *testing.B, items, workers int) *assign.Situation {
	b.Helper()
	s := &assign.Situation{At: simulated, DefaultEstimate: 10 * time.Second, Pipelines: []assign.SystemPipeline{waking(workqueue.EveryPriority)}}
	for id := range workers {
		w := simWorker(int64(id+1), 4)
		if id%3 == 0 {
			w.Labels = `{"gpu": true}`
		}
		s.Workers = append(s.Workers, w)
	}
	for id := range items {
		it := simItem(int64(id+1), []int{300, 500, 700, 1200}[id%4], time.Duration(1000+id*7919%60_000)*time.Millisecond)
		if id%10 == 0 {
			it.Selectors = `[{"key": "gpu", "operator": "exists"}]`
		}
		s.Items = append(s.Items, it)
	}
	if err := s.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

// quiet sees nothing.
type quiet struct{ ended int }

func (q *quiet) Due(int, time.Duration) bool          { return true }
func (q *quiet) Started(int, int, time.Duration) bool { return true }
func (q *quiet) Ended(int, int, time.Duration, bool) bool {
	q.ended++
	return true
}
func (q *quiet) Expired(int, time.Duration) bool        { return true }
func (q *quiet) Escalated(int, int, time.Duration) bool { return true }

// BenchmarkSimulation runs one history with expected durations.
func BenchmarkSimulation(b *testing.B) {
	for _, workers := range []int{10, 100} {
		for _, items := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("workers=%d/items=%d", workers, items), func(b *testing.B) {
				m := bigSituation(b, items, workers).NewSimulation()
				for b.Loop() {
					watch := &quiet{}
					if err := m.Run(b.Context(), nil, watch); err != nil || watch.ended != items {
						b.Fatalf("%d items ended: %v", watch.ended, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items), "ns/item")
			})
		}
	}
}
