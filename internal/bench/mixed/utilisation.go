package mixed

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"
)

// span is an interval of time; from is included, to is not.
type span struct{ from, to time.Duration }

// Utilisation returns the share of the slots' time, 0 to 1, that was not wasted while
// work waited; waited is how long work waited.
//
// Work waits while at least one item has been eligible for longer than the allowance and
// has not started. In this time a slot is wasted if no handler has run in it for longer
// than the allowance. Without an allowance, all time between two handlers counts: claims,
// commits and the delivery of notifications. A new run is assigned to the slot of its
// worker that became free last, so that an unused slot is visible.
//
// Utilisation returns an error if a worker ran more items at the same time than it has
// slots.
func (r *Record) Utilisation(allowance time.Duration) (share float64, waited time.Duration, err error) {
	work := r.waiting(allowance)
	waited = length(work)
	if waited == 0 {
		return 1, 0, nil
	}
	idle, err := r.idle()
	if err != nil {
		return 0, 0, err
	}
	var wasted time.Duration
	for _, s := range idle {
		if s.from += allowance; s.from < s.to {
			wasted += before(work, s.to) - before(work, s.from)
		}
	}
	return 1 - float64(wasted)/(float64(waited)*float64(r.Workers*r.Slots)), waited, nil
}

// waiting merges the times in which work waits, in order.
func (r *Record) waiting(allowance time.Duration) []span {
	var all []span
	for i := range r.Lives {
		for _, w := range r.Lives[i].waits(r.Over) {
			if s := (span{w.eligible(r.Up) + allowance, w.until}); s.from < s.to {
				all = append(all, s)
			}
		}
	}
	sort.SliceStable(all, func(i, k int) bool { return all[i].from < all[k].from })
	var joined []span
	for _, s := range all {
		if last := len(joined) - 1; last >= 0 && s.from <= joined[last].to {
			joined[last].to = max(joined[last].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

func length(spans []span) (sum time.Duration) {
	for _, s := range spans {
		sum += s.to - s.from
	}
	return sum
}

// before returns how much of the merged spans is before a time.
func before(spans []span, at time.Duration) (sum time.Duration) {
	n, _ := slices.BinarySearchFunc(spans, at, func(s span, at time.Duration) int { return cmp.Compare(s.from, at) })
	for _, s := range spans[:n] {
		sum += min(s.to, at) - s.from
	}
	return sum
}

// idle lists the times in which a slot had no handler, from the time when all workers had
// started until all items had ended.
func (r *Record) idle() ([]span, error) {
	var idle []span
	for worker := range r.Workers {
		type event struct {
			at    time.Duration
			slots int // 1: a run ended and a slot is free again; -1: a run started
		}
		var events []event
		for i := range r.Lives {
			for _, run := range r.Lives[i].Runs {
				if run.Worker == worker && run.Began < run.Ended {
					events = append(events, event{run.Began, -1}, event{run.Ended, 1})
				}
			}
		}
		// A slot that becomes free at an instant can be used at the same instant.
		slices.SortStableFunc(events, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.at, b.at), b.slots-a.slots)
		})
		free := slices.Repeat([]time.Duration{r.Up}, r.Slots) // since when each slot is free, the latest at the end
		for _, e := range events {
			if e.slots > 0 {
				free = append(free, e.at)
				continue
			}
			top := len(free) - 1
			if top < 0 {
				return nil, fmt.Errorf("worker %d ran more than %d items at the same time, %s after the start", worker+1, r.Slots, e.at)
			}
			idle = append(idle, span{free[top], e.at})
			free = free[:top]
		}
		for _, since := range free {
			idle = append(idle, span{since, r.Over})
		}
	}
	return slices.DeleteFunc(idle, func(s span) bool { return s.from >= s.to }), nil
}
