package bench

import (
	"testing"
	"time"

	"botwork/internal/testdb"
)

func TestLimit(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		for name, workers := range map[string]int{"one connection": 1, "three connections": 3} {
			t.Run(name, func(t *testing.T) {
				progress := &counter{}
				o := LimitOptions{Common: common(t, e, progress), Items: 345, Single: 20, Batch: 100, Workers: workers, Capacity: 2, Rate: 500, For: 40 * time.Millisecond}
				o.Compare = workers == 1
				r, err := Limit(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				wantPositive(t, r, ItemsPerSecond, EnqueuedPerSecond, OneByOnePerSecond, P50Ms, CPUSecondsPer1000)
				if o.Compare {
					wantPositive(t, r, ProductItemsPerSecond, ProductEnqueuedPerSecond, ProductOneByOnePerSecond, DrainShare, EnqueueShare, OneByOneShare)
				}
				if r.Lost == nil || *r.Lost != 0 || *r.RanTwice != 0 {
					t.Errorf("report %+v, want none lost, none twice", r)
				}
				if got := progress.sum(); got != o.Work() {
					t.Errorf("progress of %d, want %d", got, o.Work())
				}
			})
		}
	})
}
