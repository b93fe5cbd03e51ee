package forecast

import (
	"math"
	"testing"
	"time"
)

// A worker whose runs take 600 or 3,000 seconds is busy for most of the first hour in the worst histories, and less in
// half of them.
func TestBusyQuantiles(t *testing.T) {
	r := emptyPresent(1)
	r.learn("p", 600*time.Second, 600*time.Second, 600*time.Second, 3000*time.Second)
	r.add(1, 500, "p", nil)
	f := r.mustMake(t, Params{Histories: 200, Until: noon.Add(2 * time.Hour)})
	w := f.Workers[0]
	if len(w.BusyP50) != len(w.Busy) || len(w.BusyP95) != len(w.Busy) {
		t.Fatalf("got %d, %d and %d hours", len(w.Busy), len(w.BusyP50), len(w.BusyP95))
	}
	if p50, mean, p95 := w.BusyP50[0], w.Busy[0], w.BusyP95[0]; p50 >= mean || mean >= p95 || p95 > 1 || p50 < 0.1 {
		t.Errorf("busy in the first hour: p50 %v, mean %v, p95 %v", p50, mean, p95)
	}
	if w.BusyP50[1] != 0 {
		t.Errorf("busy in the second hour in half of the histories: %v", w.BusyP50[1])
	}

	r = emptyPresent(2)
	r.constant("p", 900*time.Second)
	r.add(1, 500, "p", nil)
	w = r.mustMake(t, Params{Histories: 20}).Workers[0]
	if math.Abs(w.BusyP50[0]-0.125) > 0.005 || math.Abs(w.BusyP95[0]-0.125) > 0.005 {
		t.Errorf("a constant run of a quarter of an hour in one of two slots: p50 %v, p95 %v, want 0.125", w.BusyP50[0], w.BusyP95[0])
	}
}

func TestUsagesAreBounded(t *testing.T) {
	if all := newUsages(200, 100, 96); len(all) != 200 || len(all[0]) != 9600 {
		t.Errorf("got %d usages", len(all))
	}
	if all := newUsages(200, 200, 168); all != nil {
		t.Error("very many numbers are kept")
	}
	p50, p95 := quantiles([]usage{{3}, {1}, {2}}, 0)
	if p50 != 2 || p95 != 3 {
		t.Errorf("got %v and %v", p50, p95)
	}
}
