package mixed

import (
	"slices"
	"testing"
	"time"
)

// play simulates a perfect queue without any delay: whenever a slot is free, it starts
// the due item that is first by order. It supports only workers with one slot, which is
// enough for a record.
func play(items []Item, slots int, order func(a, b wait) int) Record {
	r := Record{Workers: slots, Slots: 1}
	for _, it := range items {
		l := Life{Item: it, Called: it.At, Returned: it.At}
		if it.Kind == Cancelled {
			l.CancelCalled, l.CancelReturned = it.At+it.After, it.At+it.After
		}
		r.Lives = append(r.Lives, l)
	}
	free := make([]time.Duration, slots) // the time from which each worker is free
	const never = time.Duration(1 << 62)
	for {
		worker := 0
		for w := range free {
			if free[w] < free[worker] {
				worker = w
			}
		}
		now := free[worker]
		best, next := -1, never
		var first wait
		for i := range r.Lives {
			l := &r.Lives[i]
			if n := len(l.Runs); n > 0 && l.Runs[n-1].End == Done {
				continue
			}
			waits := l.waits(never)
			w := waits[len(waits)-1]
			switch {
			case w.until <= max(now, w.due): // cancelled or expired
			case w.due > now:
				next = min(next, w.due)
			case best < 0 || order(w, first) < 0:
				best, first = i, w
			}
		}
		if best < 0 {
			if next == never {
				r.Over = slices.Max(free)
				return r
			}
			for w := range free {
				free[w] = max(free[w], next)
			}
			continue
		}
		l := &r.Lives[best]
		end := Done
		if len(l.Runs) == 0 && l.Kind == Fails {
			end = Failed
		} else if len(l.Runs) == 0 && l.Kind == Snoozes {
			end = Snoozed
		}
		l.Runs = append(l.Runs, Run{Worker: worker, Began: now, Ended: now + l.Takes, End: end})
		free[worker] = now + l.Takes
	}
}

func mostUrgent(a, b wait) int { return b.priority - a.priority }

func firstCome(a, b wait) int { return int(a.due - b.due) }

// TestAnIdealQueueIsFaultless checks that a queue that is never late and always starts
// the most urgent item has no violations, and that a queue in order of arrival has
// inversions.
func TestAnIdealQueueIsFaultless(t *testing.T) {
	items := Load{For: 3 * time.Second, Slots: 16, Scale: 0.01, Seed: 3}.Draw()
	r := play(items, 16, mostUrgent)
	share, waited, err := r.Utilisation(0)
	if err != nil || share < 0.999999 || waited < time.Second {
		t.Errorf("Utilisation(0) = %v, %s, %v, want 1 for more than 1s", share, waited, err)
	}
	if n, longest := r.Inversions(0); n != 0 {
		t.Errorf("Inversions(0) = %d, %s, want 0", n, longest)
	}
	if v := r.Violations(); v != (Violations{}) {
		t.Errorf("Violations() = %+v, want none", v)
	}
	unordered := play(items, 16, firstCome)
	if n, _ := unordered.Inversions(100 * ms); n == 0 {
		t.Error("a queue in order of arrival has no inversion")
	}
	if v := unordered.Violations(); v != (Violations{}) {
		t.Errorf("by arrival: Violations() = %+v, want none", v)
	}
}

// TestAnUnusedSlotIsMissed checks that an unused slot lowers the utilisation by its
// share.
func TestAnUnusedSlotIsMissed(t *testing.T) {
	items := Load{For: 3 * time.Second, Slots: 16, Scale: 0.01, Seed: 3}.Draw()
	r := play(items, 12, mostUrgent)
	r.Workers = 16
	if share, _, err := r.Utilisation(0); err != nil || share < 0.749 || share > 0.751 {
		t.Errorf("Utilisation(0) = %v, %v, want 0.75", share, err)
	}
}
