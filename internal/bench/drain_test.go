package bench_test

import (
	"os"
	"sync"
	"testing"

	"botwork/internal/bench"
	"botwork/internal/testdb"
)

func TestDrainRunsEachItemOnce(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		var dsn string
		if e.Server != "" {
			dsn = os.Getenv(e.Server)
		}
		var mu sync.Mutex
		told := 0
		r, err := bench.Drain(t.Context(), bench.Options{
			Driver: e.Driver, DSN: dsn, Items: 2500, Capacity: 4,
			Progress: func(more int) { mu.Lock(); defer mu.Unlock(); told += more },
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Lost != 0 || r.RanTwice != 0 || r.N != 2500 || told != 2500 {
			t.Errorf("report %+v, progress of %d; want 2500 items, none lost, none twice", r, told)
		}
		if r.ItemsPerSecond <= 0 || r.P99Ms < r.P50Ms || r.PeakRSSMb <= 0 || r.CPUSecondsPer1000 <= 0 {
			t.Errorf("report %+v: figures that cannot be", r)
		}
		t.Logf("%+v", r)
	})
}
