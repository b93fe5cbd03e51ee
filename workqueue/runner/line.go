package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// claimed is a claimed item with the context of its run, which ends with its lease.
type claimed struct {
	workqueue.Item
	ctx    context.Context
	cancel context.CancelCauseFunc

	since     time.Time // when its claim began, by this machine's monotonic clock
	confirmed time.Time // when the answer to its claim arrived
	held      time.Time // when the database last confirmed the claim
	step      *step     // that it counts for
	need      need

	policy      queuePolicy // of its queue, when it got its slot
	recordStart bool        // its start must still be recorded before it runs
	refused     bool        // it must not start
}

// line holds the claimed items that have not started, in the order of CompareStarts.
// board.mu guards it.
type line struct {
	items []*claimed
}

// add inserts items in order, after equal ones.
func (l *line) add(items ...*claimed) {
	byTurn := func(a, b *claimed) int { return workqueue.CompareStarts(&a.Item, &b.Item) }
	l.items = append(l.items, items...)
	if !slices.IsSortedFunc(l.items, byTurn) {
		slices.SortStableFunc(l.items, byTurn)
	}
}

// next removes the next item that can start, and occupies its slots; nil if none can start. An
// item that needs more slots than are free blocks those after it; otherwise it might never
// start. An item that only waits for its channel's maximum blocks none. An expedited item does
// not block items that may use reserved slots.
func (l *line) next(s *slots) *claimed {
	least := workqueue.EveryPriority.Min
	for i, it := range l.items {
		switch {
		case s.full(it.need) || it.Priority < least && it.need.expedited:
		case it.Priority < least:
			return nil // all items after it wait too
		case s.room(it.need):
			s.occupy(it.need)
			l.remove(i)
			return it
		case !it.need.expedited:
			return nil
		default:
			least = s.overtakePriority(it.need)
		}
	}
	return nil
}

func (l *line) remove(i int) {
	if i == 0 { // the usual case; the array is dropped when it grows
		l.items[0] = nil
		l.items = l.items[1:]
		return
	}
	l.items = slices.Delete(l.items, i, i+1)
}

// head returns the first item that waits for room and so blocks those after it; nil if there
// is none.
func (l *line) head(s *slots) *claimed {
	for _, it := range l.items {
		if !s.full(it.need) {
			return it
		}
	}
	return nil
}

// removeAll removes and returns the items for which out returns true.
func (l *line) removeAll(out func(*claimed) bool) (removed []*claimed) {
	if !slices.ContainsFunc(l.items, out) {
		return nil
	}
	l.items = slices.DeleteFunc(l.items, func(it *claimed) bool {
		if out(it) {
			removed = append(removed, it)
			return true
		}
		return false
	})
	return removed
}

// oldest returns when the item that waits longest was claimed; zero if none waits.
func (l *line) oldest() time.Time {
	return l.earliest(func(it *claimed) time.Time { return it.since })
}

// stalest returns the earliest time at which a claim was last confirmed; zero if none waits.
func (l *line) stalest() time.Time {
	return l.earliest(func(it *claimed) time.Time { return it.held })
}

func (l *line) earliest(of func(*claimed) time.Time) (first time.Time) {
	for _, it := range l.items {
		if at := of(it); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// heldBefore returns the items whose claims were last confirmed at a time or earlier.
func (l *line) heldBefore(at time.Time) (refs []workqueue.ItemRef) {
	for _, it := range l.items {
		if !it.held.After(at) {
			refs = append(refs, it.ref())
		}
	}
	return refs
}

// mayBegin reports whether an item from the line may start: its lease is valid, and its
// deadline has not passed.
func (it *claimed) mayBegin(now time.Time) bool {
	if it.ctx.Err() != nil {
		return false // it lost its lease: another worker may be running it
	}
	if it.StartedAt == nil {
		return true
	}
	then := it.StartedAt.Add(now.Sub(it.since)) // now by the database's clock, or a little later
	late := func(end *time.Time) bool { return end != nil && end.Before(then) }
	return !late(it.DeadlineAt) && !late(it.ExpiresAt)
}

func (it *claimed) ref() workqueue.ItemRef { return workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence} }
