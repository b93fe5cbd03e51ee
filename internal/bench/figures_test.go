package bench

import (
	"math/rand/v2"
	"testing"
)

func TestMedianAndSpread(t *testing.T) {
	for name, tt := range map[string]struct {
		rounds []Sample
		want   Spread
	}{
		"one":   {[]Sample{{P50Ms: 4}}, Spread{4, 4, 4}},
		"odd":   {[]Sample{{P50Ms: 9}, {P50Ms: 1}, {P50Ms: 2}}, Spread{2, 1, 9}},
		"even":  {[]Sample{{P50Ms: 4}, {P50Ms: 1}, {P50Ms: 9}, {P50Ms: 2}}, Spread{3, 1, 9}},
		"holes": {[]Sample{{P50Ms: 4}, {}, {P99Ms: 1, P50Ms: 6}}, Spread{5, 4, 6}},
	} {
		if got := spreads(tt.rounds)[P50Ms]; got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	if got := spreads(nil); len(got) != 0 {
		t.Errorf("spreads of no rounds: %v", got)
	}
}

func TestPercentiles(t *testing.T) {
	times := make([]float64, 1000)
	for i, at := range rand.Perm(1000) {
		times[at] = float64(i)
	}
	s := Sample{}
	s.percentiles(times)
	if s[P50Ms] != 500 || s[P95Ms] != 950 || s[P99Ms] != 990 {
		t.Errorf("percentiles of 0 to 999 = %v", s)
	}
	none := Sample{}
	if none.percentiles(nil); len(none) != 0 {
		t.Errorf("percentiles of nothing = %v", none)
	}
}
