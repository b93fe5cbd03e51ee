package mixed

import "time"

// Violations has the starts that must not happen.
type Violations struct {
	BeforeDue     Starts
	AfterDeadline Starts
	AfterCancel   Starts
}

// Starts counts the starts of one kind of violation.
type Starts struct {
	Count int
	Worst time.Duration // the largest difference from the allowed time
}

func (s *Starts) add(by time.Duration) {
	s.Count++
	s.Worst = max(s.Worst, by)
}

// Violations counts the runs that started at a wrong time. The due times follow from the
// requests of the callers and the results of the handlers, not from what the queue
// stored. An item is due After the start of the call that enqueued it at the earliest,
// and due again After the end of a run that failed or snoozed. Its deadline is After the
// return of that call at the latest.
//
// Two inaccuracies are accepted. Databases store whole milliseconds, so an item may start
// 2 ms early. Up to 20 ms may pass between a worker's last check of an item and the first
// line of its handler, so a run counts as too late only if it is later than a deadline or
// a cancel by more than that.
// by more.
func (r *Record) Violations() Violations {
	var v Violations
	for i := range r.Lives {
		l := &r.Lives[i]
		due := l.Called
		if l.Kind == Ahead {
			due += l.After
		}
		for n, run := range l.Runs {
			if run.Began < due-rounding {
				v.BeforeDue.add(due - run.Began)
			}
			if n == 0 && l.Kind == Expires && run.Began > l.Returned+l.After+startSlack {
				v.AfterDeadline.add(run.Began - l.Returned - l.After)
			}
			if l.CancelReturned > 0 && run.Began > l.CancelReturned+startSlack {
				v.AfterCancel.add(run.Began - l.CancelReturned)
			}
			due = run.Ended
			if run.End == Failed || run.End == Snoozed {
				due += l.After
			}
		}
	}
	return v
}

// Waits returns how long the items of a band waited from their due time until a run
// started, in milliseconds. For items that were due before all workers had started, the
// wait starts when all had.
func (r *Record) Waits(lowest, highest int) []float64 {
	var list []float64
	for i := range r.Lives {
		for _, w := range r.Lives[i].waits(r.Over) {
			if w.began && lowest <= w.priority && w.priority <= highest {
				list = append(list, float64(max(w.until-max(w.due, r.Up), 0))/float64(time.Millisecond))
			}
		}
	}
	return list
}
