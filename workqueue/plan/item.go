package plan

import (
	"cmp"
	"math"
	"slices"
)

// Item is a waiting item. Times are in milliseconds since 1970, UTC, by the
// database's clock.
type Item struct {
	ID       int64
	Priority int
	Estimate int64 // milliseconds, 1 or more
	Guessed  bool  // the estimate is unknown
	Due      int64 // since when it is due
	Deadline int64 // 0: none
	Expedite bool  // before all others that wait

	// Class is the number that Planner.Class returned for its class.
	Class int

	// Holder is the worker that the item is assigned to and may be taken back from;
	// 0: none. It stays there unless it starts much sooner elsewhere.
	Holder int64
}

// Sort puts items into the order in which they must be given: the expedited ones
// first, unless others have been given; then by priority, the largest first; in one
// priority the expedited ones; those with a deadline, the nearest first; those that
// became due in an earlier span of the given length, in milliseconds; then the
// longest; then by id. Items whose class ignores durations count as having none.
func (p *Planner) Sort(items []Item, span int64) {
	type key struct {
		priority int
		group    int64 // expedited before deadlines before the others, by span
		estimate int64
		id       int64
		at       int32
	}
	keys := make([]key, 0, len(items))
	var first []key // the expedited items
	for i := range items {
		it := &items[i]
		k := key{priority: it.Priority, id: it.ID, at: int32(i)}
		switch {
		case it.Expedite:
			k.group = math.MinInt64
		case it.Deadline != 0:
			k.group = it.Deadline - farOff
		default:
			k.group = it.Due / max(span, 1)
			if p.classes[it.Class].mode == leastLoaded {
				k.estimate = it.Estimate
			}
		}
		if it.Expedite && p.Expediting() {
			first = append(first, k)
		} else {
			keys = append(keys, k)
		}
	}
	compare := func(a, b key) int {
		if a.priority != b.priority {
			return cmp.Compare(b.priority, a.priority)
		}
		if a.group != b.group {
			return cmp.Compare(a.group, b.group)
		}
		if a.estimate != b.estimate {
			return cmp.Compare(b.estimate, a.estimate)
		}
		return cmp.Compare(a.id, b.id)
	}
	slices.SortFunc(first, compare)
	slices.SortFunc(keys, compare)
	sorted := make([]Item, 0, len(items))
	for _, k := range first {
		sorted = append(sorted, items[k.at])
	}
	for _, k := range keys {
		sorted = append(sorted, items[k.at])
	}
	copy(items, sorted)
}
