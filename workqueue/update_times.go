package workqueue

import "time"

// SetsTimes reports whether the update sets when an item becomes due or its deadline.
func (u *ItemUpdate) SetsTimes() bool {
	return u.At != nil || u.In != nil || u.Deadline != nil || u.DeadlineIn != nil
}

// PastFault rejects an update that sets times after which the item would never start, as
// [NewItem.PastFault] does for a new item: its deadline has passed, or comes before the item is
// due. due and deadline are those that the item has (nil: no deadline), now is the database's
// clock. The error is an *ItemFault.
func (u *ItemUpdate) PastFault(due time.Time, deadline *time.Time, now time.Time) error {
	switch {
	case u.At != nil:
		due = *u.At
	case u.In != nil:
		due = now.Add(*u.In)
	}
	after := NewItem{At: due}
	switch {
	case u.Deadline != nil:
		after.Deadline = *u.Deadline
	case u.DeadlineIn != nil:
		after.Deadline = now.Add(*u.DeadlineIn)
	case u.SetsTimes() && deadline != nil && deadline.Before(due.Truncate(time.Millisecond)):
		return fault("deadline", "deadline: the item keeps %s, becomes due %s and would never start; hint: set a later deadline as well, or clear it",
			deadline.UTC().Format(time.RFC3339), due.UTC().Format(time.RFC3339))
	}
	return after.PastFault(now)
}
