package workqueue

import "time"

// SetsTimes reports whether the update sets when an item becomes due, its deadline, or the time by
// which it must finish.
func (u *ItemUpdate) SetsTimes() bool {
	return u.At != nil || u.In != nil || u.Deadline != nil || u.DeadlineIn != nil || u.SetsFinish()
}

// SetsFinish reports whether the update sets or removes the time by which an item must finish.
func (u *ItemUpdate) SetsFinish() bool { return u.FinishBy != nil || u.FinishIn != nil }

// ItemTimes are the times of an item that an update may set; the zero time is none.
type ItemTimes struct{ Due, Deadline, FinishBy time.Time }

// Times returns the times of an item after the update, before which it had old. now is the database's
// clock.
//
// The deadline is never later than the time by which the item must finish. A deadline that is equal to
// this time counts as none: it changes with it.
func (u *ItemUpdate) Times(old ItemTimes, now time.Time) ItemTimes {
	after := old
	set := func(to *time.Time, at *time.Time, in *time.Duration) {
		switch {
		case at != nil:
			*to = *at
		case in != nil:
			*to = now.Add(*in)
		}
	}
	if !old.FinishBy.IsZero() && !old.Deadline.Before(old.FinishBy) {
		after.Deadline = time.Time{}
	}
	set(&after.Due, u.At, u.In)
	set(&after.Deadline, u.Deadline, u.DeadlineIn)
	set(&after.FinishBy, u.FinishBy, u.FinishIn)
	if !after.FinishBy.IsZero() && (after.Deadline.IsZero() || after.FinishBy.Before(after.Deadline)) {
		after.Deadline = after.FinishBy
	}
	return after
}

// PastFault rejects an update that sets times after which the item would never start or finish, as
// [NewItem.PastFault] does for a new item: its deadline, or the time by which it must finish, has
// passed, or comes before the item is due. old are the times that the item has, now is the database's
// clock. The error is an *ItemFault.
func (u *ItemUpdate) PastFault(old ItemTimes, now time.Time) error {
	const kept = "%s: the item keeps %s, becomes due %s and would never %s; hint: set a later %[1]s as well, or clear it"
	after := u.Times(old, now)
	due := after.Due.Truncate(time.Millisecond)
	text := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	n := NewItem{At: after.Due}
	switch {
	case u.SetsFinish():
		n.FinishBy = after.FinishBy
	case !after.FinishBy.IsZero() && after.FinishBy.Before(due):
		return fault("finishBy", kept, "finish by", text(after.FinishBy), text(after.Due), "finish")
	}
	switch {
	case u.Deadline != nil && !u.Deadline.IsZero():
		n.Deadline = *u.Deadline
	case u.Deadline == nil && u.DeadlineIn != nil:
		n.Deadline = now.Add(*u.DeadlineIn)
	case !after.Deadline.IsZero() && after.Deadline.Before(due) && !after.Deadline.Equal(n.FinishBy):
		return fault("deadline", kept, "deadline", text(after.Deadline), text(after.Due), "start")
	}
	return n.PastFault(now)
}
