package bench

import (
	"testing"
	"time"

	"botwork/internal/testdb"
)

func TestLatency(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		for name, apart := range map[string]bool{"in this process": false, "apart": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				progress := &counter{}
				o := LatencyOptions{Common: common(t, e, progress), Rate: 200, For: 50 * time.Millisecond, Idle: 10 * time.Millisecond, Capacity: 2, Apart: apart}
				r, err := Latency(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				wantPositive(t, r, ItemsPerSecond, FromCallP50Ms, FromCallP99Ms)
				if *r.P50Ms > r.Figures[FromCallP50Ms].Median || *r.P99Ms < *r.P50Ms {
					t.Errorf("report %+v: impossible figures", r)
				}
				if _, ok := r.Figures[IdleStatementsPerSecond]; !ok || r.N != 10 || *r.Lost != 0 || *r.RanTwice != 0 {
					t.Errorf("report %+v, want 10 items, none lost, none twice, and the idle worker", r)
				}
				if got := progress.sum(); got != o.Work() || got != 20 {
					t.Errorf("progress of %d, want %d", got, o.Work())
				}
			})
		}
	})
}

func TestLateItems(t *testing.T) {
	begin := time.Now()
	begun := &clocked{at: map[int64]time.Time{}}
	var calls []call
	for i, after := range []int{3, 20, 21, -1, 500} {
		calls = append(calls, call{int64(i), begin, begin})
		begun.at[int64(i)] = begin.Add(time.Duration(after) * time.Millisecond)
	}
	s := Sample{}
	s.latencies(calls, begun)
	if s[WorstMs] != 500 || s[LateItems] != 2 || s[P50Ms] != 20 || s[FromCallP50Ms] != 20 {
		t.Errorf("got %v, want a worst of 500 ms, 2 late items, medians of 20 ms", s)
	}
}
