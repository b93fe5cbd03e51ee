package workqueue

import (
	"fmt"
	"time"
)

// itemEnd is a time after which an item must not start, or not run.
type itemEnd struct {
	field string
	does  string // what the item then does not do
	at    time.Time
	in    time.Duration // used if at is zero
}

func (it *NewItem) ends() [2]itemEnd {
	return [...]itemEnd{
		{"deadline", "start", it.Deadline, it.DeadlineIn},
		{"finishBy", "finish", it.FinishBy, it.FinishIn},
	}
}

// timeFaults rejects an item that could never start or finish. An offset is not
// compared with a time: only the database's clock knows the difference, and
// [NewItem.PastFault] does it.
func (it *NewItem) timeFaults() []error {
	var errs []error
	for _, end := range it.ends() {
		switch {
		case end.in < 0:
			errs = append(errs, fault(end.field, "%s: got %v from now, want 0s (none) or more", end.label(), Duration(end.in)))
		case !end.at.IsZero() && end.at.Before(it.At):
			errs = append(errs, end.never(end.at.UTC().Format(time.RFC3339), it.At.UTC().Format(time.RFC3339)))
		case end.at.IsZero() && end.in > 0 && it.At.IsZero() && end.in < it.In:
			errs = append(errs, end.never(fmt.Sprintf("%v from now", Duration(end.in)), fmt.Sprintf("%v from now", Duration(it.In))))
		}
	}
	return errs
}

// never is the fault of an item that becomes due after the end.
func (e itemEnd) never(end, due string) error {
	return fault(e.field, "%s: got %s; the item becomes due %s and would never %s", e.label(), end, due, e.does)
}

// label is the name of the end in messages.
func (e itemEnd) label() string {
	if e.field == "finishBy" {
		return "finish by"
	}
	return e.field
}

// MixesTimes reports whether a time of the item must be compared with an offset from
// now, for which the database's clock is needed.
func (it *NewItem) MixesTimes() bool {
	offset := it.At.IsZero() && it.In > 0
	for _, end := range it.ends() {
		if !end.at.IsZero() && offset || end.at.IsZero() && end.in > 0 && !it.At.IsZero() {
			return true
		}
	}
	return false
}

// PastFault rejects an item whose deadline, or time to finish by, has passed or comes
// before the item is due. now is the database's clock. Times are compared to the
// millisecond, as they are stored.
func (it *NewItem) PastFault(now time.Time) error {
	const layout = "2006-01-02T15:04:05.000Z07:00"
	due := it.At
	if due.IsZero() {
		due = now.Add(it.In)
	}
	for _, end := range it.ends() {
		at := end.at
		switch {
		case !at.IsZero():
		case end.in > 0:
			at = now.Add(end.in)
		default:
			continue
		}
		at = at.UTC().Truncate(time.Millisecond)
		if at.Before(now.Truncate(time.Millisecond)) {
			return fault(end.field, "%s: got %s, which has passed: the database's clock shows %s; hint: give a later time, or leave it out",
				end.label(), at.Format(layout), now.UTC().Format(layout))
		}
		if at.Before(due.Truncate(time.Millisecond)) {
			return end.never(at.Format(layout), due.UTC().Format(layout))
		}
	}
	return nil
}

// Ends returns the earliest time and the shortest offset from now after which the item
// must not start; zero for none. The item must not start when it can no longer finish.
func (it *NewItem) Ends() (at time.Time, in time.Duration) {
	for _, end := range it.ends() {
		switch {
		case !end.at.IsZero():
			if at.IsZero() || end.at.Before(at) {
				at = end.at
			}
		case end.in > 0 && (in == 0 || end.in < in):
			in = end.in
		}
	}
	return at, in
}
