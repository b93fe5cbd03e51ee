package bench_test

import (
	"os"
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
		var told int
		r, err := bench.Drain(t.Context(), bench.Options{
			Driver: e.Driver, DSN: dsn, Items: 2000, Capacity: 4, Progress: func(n int) { told = max(told, n) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Lost != 0 || r.RanTwice != 0 || r.N != 2000 || told != 2000 {
			t.Errorf("report %+v, progress up to %d; want 2000 items, none lost, none twice", r, told)
		}
		if r.ItemsPerSecond <= 0 || r.P99Ms < r.P50Ms || r.PeakRSSMb <= 0 || r.CPUSecondsPer1000 <= 0 {
			t.Errorf("report %+v: figures that cannot be", r)
		}
		t.Logf("%+v", r)
	})
}
