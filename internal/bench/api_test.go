package bench

import (
	"testing"
	"time"

	"botwork/internal/testdb"
)

func TestAPI(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		for _, most := range []int{1, 5} {
			apiRound(t, e, most)
		}
	})
}

func apiRound(t *testing.T, e testdb.Engine, most int) {
	t.Helper()
	progress := &counter{}
	o := APIOptions{Common: common(t, e, progress), Robots: 3, Max: most, Items: 20, Rate: 50, For: 100 * time.Millisecond, Idle: 50 * time.Millisecond}
	r, err := API(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	wantPositive(t, r, ItemsPerSecond, CPUSecondsPer1000)
	if _, ok := r.Figures[IdleRobotsStatementsPerSecond]; !ok || r.N != 20 || *r.Lost != 0 || *r.RanTwice != 0 || *r.P99Ms < *r.P50Ms {
		t.Errorf("report %+v, want 20 items, none lost and none twice", r)
	}
	if got := progress.sum(); got != o.Work() || got != 50 {
		t.Errorf("progress of %d, want %d", got, o.Work())
	}
}
