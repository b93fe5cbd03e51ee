package tasks

import "time"

const (
	// AgeHorizon is the age at which an item without a deadline has the highest
	// priority of its importance.
	AgeHorizon = 24 * time.Hour

	// Lead is how long before the end of its window an item has that priority.
	// Priorities are revised hourly: it spans two revisions, so that one may fail.
	Lead = 2 * time.Hour

	// MaxPriority is the highest priority that a task's item gets; its queue's
	// offset comes on top.
	MaxPriority = 1300
)

// priorities are, for each importance, the priority of a new item and that of an item at the
// end of its time. The second ones are all in the high band, and the pairs are ordered, so
// that at equal shares the more important item has the higher priority.
var priorities = [...]struct{ base, peak int }{
	Low:    {200, 1100},
	Normal: {550, 1200},
	High:   {900, MaxPriority},
}

// Priority returns the priority of a task's item at now:
//
//	share    = (now − from) / (until − Lead − from), with a deadline
//	         = (now − from) / AgeHorizon, without one (until is the zero time)
//	priority = base + share · (peak − base), share held between 0 and 1, rounded down
//
// from is when the window opened, or the item was created. base and peak are 200 and 1100 for
// low, 550 and 1200 for normal, 900 and 1300 for high importance. A window that is not longer
// than Lead starts at its peak, because no revision would be in time.
//
// Normal importance, a window from 08:00 to 18:00: the share is 0 at 08:00, a half at
// 12:00 and 1 from 16:00 on, so the priority is 550, 875 and 1200.
func Priority(importance Importance, from, until, now time.Time) int {
	if !importance.known() {
		importance = Normal
	}
	p := priorities[importance]
	span := AgeHorizon
	if !until.IsZero() {
		if span = until.Sub(from) - Lead; span <= 0 {
			return p.peak
		}
	}
	age := min(max(now.Sub(from), 0), span)
	// Calculate in whole seconds, so that the product does not overflow an int64.
	return p.base + int(int64(age/time.Second)*int64(p.peak-p.base)/max(1, int64(span/time.Second)))
}
