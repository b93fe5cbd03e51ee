package bench

import (
	"testing"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
)

func TestForecast(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	t.Parallel()
	progress := &counter{}
	o := ForecastOptions{Common: common(t, testdb.Engines[0], progress), Items: 80, Scale: 0.001, Seed: 1, Workers: 2, Capacity: 4, Waiting: 300, Crowd: 3}
	r, err := Forecast(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	wantPositive(t, r, ForecastsCompared, ForecastMoments, RoundSeconds, CrowdReadSeconds, CrowdForecastSeconds, CrowdMb)
	if c := r.Figures[CoveragePercent].Median; c < 0 || c > 100 {
		t.Errorf("coverage = %v, want a part of the items", c)
	}
	if n := r.Figures[ForecastsCompared].Median; n < float64(o.Items)/2 {
		t.Errorf("%v forecasts were compared, want most of the %d items", n, o.Items)
	}
	if *r.Lost != 0 || *r.RanTwice != 0 || progress.sum() != o.Work() {
		t.Errorf("report %+v, progress of %d; want none lost or twice, %d", r, progress.sum(), o.Work())
	}
}
