package dashboard

import (
	"testing"
	"time"

	"botwork/workqueue"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12431: "12,431", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{999: "999", 1000: "1k", 12431: "12.4k", 999_949: "999.9k", 999_950: "1M", 1_260_000: "1.3M"} {
		if got := shortNumber(n); got != want {
			t.Errorf("shortNumber(%d) = %q, want %q", n, got, want)
		}
	}
	for share, want := range map[float64]string{0: "0 %", 0.0004: "under 0.1 %", 0.004: "0.4 %", 0.32: "32 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 40 * time.Millisecond: "40 ms", 2100 * time.Millisecond: "2.1 s", 3 * time.Second: "3 s", 41 * time.Second: "41 s", 60 * time.Second: "1 min",
		192 * time.Second: "3 min 12 s", 3 * time.Hour: "3 h", 47*time.Hour + 30*time.Minute: "47 h 30 min", 50 * time.Hour: "2 d 2 h", -5 * time.Second: "5 s",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

// Six hours by the minute are more columns than a chart has: neighbours are joined, and no event
// is lost.
func TestChartJoinsColumns(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := &workqueue.Series{By: workqueue.ByMinute}
	for i := range 361 {
		p := workqueue.SeriesPoint{Start: start.Add(time.Duration(i) * time.Minute), Succeeded: 2, Failed: 1, Retried: 1, Gauges: &workqueue.SeriesGauges{Backlog: 5, OldestWaiting: workqueue.Duration(time.Duration(i) * time.Second), SlotsUsed: 3, SlotsOffered: new(8.0)}}
		s.Points = append(s.Points, p)
	}
	ended := endedChart(s)
	if len(ended.Bars) > mostColumns || ended.Unit != "4 minutes" {
		t.Errorf("%d columns by %s", len(ended.Bars), ended.Unit)
	}
	sum := 0.0
	for _, b := range ended.Bars {
		sum += b.Values[0]
	}
	if sum != 722 || ended.Most != 12 {
		t.Errorf("columns have %v succeeded items, want 722; the highest has %v, want 12", sum, ended.Most)
	}
	if waiting := backlogChart(s); waiting.Most != 5 {
		t.Errorf("the backlog is at most %v, want its mean 5", waiting.Most)
	}
	if longest := oldestChart(s); longest.Bars[0].Values[0] != 3000 || longest.Most != 360_000 {
		t.Errorf("the longest wait of four minutes is %v ms, of all %v ms; want 3000 and 360000", longest.Bars[0].Values[0], longest.Most)
	}
	for i := range s.Points { // most minutes have no sample, and no run
		if i%3 != 0 {
			s.Points[i].Gauges = nil
		} else {
			s.Points[i].Run = &workqueue.SeriesTimes{Mean: workqueue.Duration(time.Second), P95: workqueue.Duration(3 * time.Second)}
		}
	}
	if waiting := backlogChart(s); waiting.Most != 5 || waiting.Bars[1].Values[0] != 5 {
		t.Errorf("the backlog is %v, at most %v, want the mean of the samples, 5", waiting.Bars[1].Values[0], waiting.Most)
	}
	if runs := runsChart(s); runs.Most != 3000 || runs.Bars[1].Values[0] != 1000 {
		t.Errorf("runs took %v ms, at most %v; want 1000 and 3000", runs.Bars[1].Values[0], runs.Most)
	}
	if slots := slotsChart(s); slots.Most != 8 || slots.Bars[1].Values[0] != 3 {
		t.Errorf("%v slots, %v in use; want 8 and 3", slots.Most, slots.Bars[1].Values[0])
	}
}

func TestLocalAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"/": true, "/items?status=failed": true, "": false, "items": false, "//evil.example": false, `/\evil.example`: false, "https://evil.example/": false, "javascript:alert(1)": false,
	} {
		if got := isLocal(address); got != want {
			t.Errorf("isLocal(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestEveryStatusHasALook(t *testing.T) {
	for _, s := range workqueue.Statuses() {
		if l := statusLook(string(s)); l.Word != string(s) {
			t.Errorf("status %q looks like %+v", s, l)
		}
	}
	for _, l := range looks {
		if _, err := icon(l.Icon); err != nil {
			t.Error(err)
		}
	}
}

// Bands without a recent figure are unknown, not empty.
func TestBandsNow(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(minute int, band string, backlog float64) workqueue.SeriesPoint {
		return workqueue.SeriesPoint{Start: start.Add(time.Duration(minute) * time.Minute), Group: band, Gauges: &workqueue.SeriesGauges{Backlog: backlog}}
	}
	old := []workqueue.SeriesPoint{at(1, "high", 9), {Start: start.Add(10 * time.Minute), Group: "medium"}}
	for name, c := range map[string]struct {
		points []workqueue.SeriesPoint
		idle   bool
		known  bool
		medium int64
	}{
		"recent": {append(old, at(8, "medium", 7), at(9, "medium", 4)), false, true, 4},
		"old":    {old, false, false, 0},
		"idle":   {old, true, true, 0},
	} {
		got := bandsNow(&workqueue.Series{At: start.Add(10*time.Minute + 30*time.Second), Points: c.points}, c.idle)
		if got[1].Known != c.known || got[1].Waiting != c.medium || got[0].Waiting != 0 {
			t.Errorf("%s: %+v; want known %t and %d waiting in the medium band alone", name, got, c.known, c.medium)
		}
	}
}
