package workqueue

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// claimed is an item with the context that its lease gives it.
type claimed struct {
	Item
	ctx    context.Context
	cancel context.CancelCauseFunc

	since time.Time // when it was claimed, by this machine's steady clock
	step  *step     // whose it is
	need  need

	looked  bool // its begin is recorded, if that has to be, unless it is refused
	refused bool // it must not begin
}

// line holds the items that are claimed and have not begun, the most urgent first,
// the longest waiting first among equals. Not safe for concurrent use: the
// dispatcher's mutex guards it.
type line struct {
	items []*claimed
}

// add puts items behind those of their priority.
func (l *line) add(items ...*claimed) {
	byPriority := func(a, b *claimed) int { return cmp.Compare(b.Priority, a.Priority) }
	l.items = append(l.items, items...)
	if !slices.IsSortedFunc(l.items, byPriority) {
		slices.SortStableFunc(l.items, byPriority)
	}
}

// next takes out the item whose turn it is and takes its slots; nil when none can
// begin. An item that needs more slots than are free holds up those behind it, or
// its turn would never come; one that only waits for its own channel's maximum
// holds up no other.
func (l *line) next(s *slots) *claimed {
	for i, it := range l.items {
		if s.full(it.need) {
			continue
		}
		if !s.room(it.need) {
			return nil
		}
		s.take(it.need)
		l.remove(i)
		return it
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

// takeOut takes out the items for which out reports true.
func (l *line) takeOut(out func(*claimed) bool) (taken []*claimed) {
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
func (l *line) oldest() (first time.Time) {
	for _, it := range l.items {
		if first.IsZero() || it.since.Before(first) {
			first = it.since
		}
	}
	return first
}
