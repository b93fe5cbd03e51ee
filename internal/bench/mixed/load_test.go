package mixed

import (
	"slices"
	"testing"
	"time"
)

var defaults = Load{For: 12 * time.Second, Slots: 16, Scale: 0.01, Seed: 1}

func TestALoadIsTheSameEachTime(t *testing.T) {
	if !slices.Equal(defaults.Draw(), defaults.Draw()) {
		t.Error("two draws of one load differ")
	}
	other := defaults
	other.Seed = 2
	if slices.Equal(defaults.Draw(), other.Draw()) {
		t.Error("two seeds draw the same load")
	}
}

func TestALoadFillsTheSlots(t *testing.T) {
	var sum time.Duration
	kinds, bands := map[Kind]int{}, map[string]int{}
	last := time.Duration(0)
	items := defaults.Draw()
	for _, it := range items {
		sum += it.Takes
		if it.Kind == Fails || it.Kind == Snoozes {
			sum += it.Takes
		}
		kinds[it.Kind]++
		switch {
		case it.Priority >= high:
			bands["high"]++
		case it.Priority >= medium:
			bands["medium"]++
		default:
			bands["low"]++
		}
		if it.Takes < shortest/100 || it.Takes > longest/100 {
			t.Errorf("an item takes %s, want 10µs to 3s", it.Takes)
		}
		if (it.Kind == Plain) != (it.After == 0) || it.After%time.Millisecond != 0 {
			t.Errorf("a %s item with After = %s", it.Kind, it.After)
		}
		if it.At < last || it.At >= defaults.For {
			t.Errorf("an item arrives at %s, after an item at %s", it.At, last)
		}
		last = it.At
	}
	if room := 16 * defaults.For; sum < room || sum > room+2*longest/100 {
		t.Errorf("the runs take %s together, want %s and the last one's rest", sum, room)
	}
	for _, k := range []Kind{Plain, Ahead, Fails, Snoozes, Expires, Cancelled} {
		if kinds[k] == 0 {
			t.Errorf("no %s item among %d", k, len(items))
		}
	}
	if len(bands) != 3 {
		t.Errorf("bands %v, want all three", bands)
	}
}

func TestParetoIsBounded(t *testing.T) {
	if got := pareto(0); got != shortest {
		t.Errorf("pareto(0) = %s, want %s", got, shortest)
	}
	if got := pareto(1 - 1e-12); got < longest-time.Second || got > longest {
		t.Errorf("pareto(1) = %s, want %s", got, longest)
	}
	if half := pareto(0.5); half < 21*time.Millisecond || half > 23*time.Millisecond {
		t.Errorf("pareto(0.5) = %s, want 22ms", half)
	}
}
