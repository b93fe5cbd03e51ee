package notify

import (
	"slices"
	"time"

	"botwork/workqueue"
)

// Quiet is a time of the day in which nothing is sent, by the clock on the wall of a time zone: on a day
// that daylight saving time makes longer or shorter, the hours are as many as the wall shows.
type Quiet struct {
	// From and To are minutes since midnight, 0 to 1440. If To is not after From, the time ends on
	// the next day.
	From, To int

	Zone *time.Location

	// Days are the days on which the time begins; none means every day.
	Days []time.Weekday
}

// Holds reports whether a moment is in the quiet time. Its start is included, its end is not.
func (q *Quiet) Holds(at time.Time) bool {
	local := at.In(q.Zone)
	minute := local.Hour()*60 + local.Minute()
	if q.From < q.To {
		return minute >= q.From && minute < q.To && q.begins(local.Weekday())
	}
	if minute >= q.From {
		return q.begins(local.Weekday())
	}
	return minute < q.To && q.begins((local.Weekday()+6)%7)
}

func (q *Quiet) begins(day time.Weekday) bool {
	return len(q.Days) == 0 || slices.Contains(q.Days, day)
}

// QuietAt reports whether the rule sends nothing at a moment because of its quiet hours.
func (r *Rule) QuietAt(at time.Time) bool {
	return !r.Urgent && slices.ContainsFunc(r.Quiet, func(q Quiet) bool { return q.Holds(at) })
}

// NextAt returns when the next message about an alert may be sent; nil if it is over.
func (r *Rule) NextAt(a *workqueue.Alert) *time.Time {
	var at time.Time
	switch {
	case a.Phase == workqueue.AlertPending:
		at = a.StartedAt.Add(r.Wait)
	case a.Phase == workqueue.AlertFiring && a.SentAt != nil:
		at = a.SentAt.Add(r.Repeat)
	default:
		return nil
	}
	return &at
}
