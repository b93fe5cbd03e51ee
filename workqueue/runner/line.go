package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// claimed is an item with the context that its lease gives it.
type claimed struct {
	workqueue.Item
	ctx    context.Context
	cancel context.CancelCauseFunc

	since     time.Time // when it was claimed, or a little before, by this machine's steady clock
	confirmed time.Time // when that was known
	held      time.Time // when it was last known to be still held
	step      *step     // whose it is
	need      need

	policy  queuePolicy // of its queue, when it got its slot
	records bool        // its begin has to be recorded before it starts, and is not yet
	refused bool        // it must not begin
}

// line holds the items that are claimed and have not begun, in the order of
// CompareStarts. Not safe for concurrent use: the
// dispatcher's mutex guards it.
type line struct {
	items []*claimed
}

// add puts items where their turn is, after those that are equal.
func (l *line) add(items ...*claimed) {
	byTurn := func(a, b *claimed) int { return workqueue.CompareStarts(&a.Item, &b.Item) }
	l.items = append(l.items, items...)
	if !slices.IsSortedFunc(l.items, byTurn) {
		slices.SortStableFunc(l.items, byTurn)
	}
}

// next takes out the item whose turn it is and takes its slots; nil when none can
// begin. An item that needs more slots than are free holds up those behind it, or
// its turn would never come; one that only waits for its own channel's maximum
// holds up no other. An expedited item for which only reserved slots are free does not
// hold up those that may take them.
func (l *line) next(s *slots) *claimed {
	least := workqueue.EveryPriority.Min
	for i, it := range l.items {
		switch {
		case s.full(it.need) || it.Priority < least && it.need.expedited:
		case it.Priority < least:
			return nil // and so are all behind it
		case s.room(it.need):
			s.occupy(it.need)
			l.remove(i)
			return it
		case !it.need.expedited:
			return nil
		default:
			least = s.passes(it.need)
		}
	}
	return nil
}

func (l *line) remove(i int) {
	if i == 0 { // as a rule; the array is left behind when it grows
		l.items[0] = nil
		l.items = l.items[1:]
		return
	}
	l.items = slices.Delete(l.items, i, i+1)
}

// head is the first item that waits for room and so holds up those behind it; nil
// when none does.
func (l *line) head(s *slots) *claimed {
	for _, it := range l.items {
		if !s.full(it.need) {
			return it
		}
	}
	return nil
}

// removeAll takes out the items for which out reports true.
func (l *line) removeAll(out func(*claimed) bool) (taken []*claimed) {
	if !slices.ContainsFunc(l.items, out) {
		return nil
	}
	l.items = slices.DeleteFunc(l.items, func(it *claimed) bool {
		if out(it) {
			taken = append(taken, it)
			return true
		}
		return false
	})
	return taken
}

// oldest is when the item that waits longest was claimed; zero when none waits.
func (l *line) oldest() time.Time {
	return l.earliest(func(it *claimed) time.Time { return it.since })
}

// stalest is the earliest time at which an item was last known to be held; zero when none
// waits.
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

// heldBefore lists the items that were last known to be held at a time, or before.
func (l *line) heldBefore(at time.Time) (refs []workqueue.ItemRef) {
	for _, it := range l.items {
		if !it.held.After(at) {
			refs = append(refs, it.ref())
		}
	}
	return refs
}

// mayBegin reports whether an item that waited may begin: its lease holds, and it is
// not too late for it.
func (it *claimed) mayBegin(now time.Time) bool {
	if it.ctx.Err() != nil {
		return false // it was taken away: somebody else may be running it
	}
	if it.StartedAt == nil {
		return true
	}
	then := it.StartedAt.Add(now.Sub(it.since)) // now by the database's clock, or a little later
	late := func(end *time.Time) bool { return end != nil && end.Before(then) }
	return !late(it.DeadlineAt) && !late(it.ExpiresAt)
}

func (it *claimed) ref() workqueue.ItemRef { return workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence} }
