package mixed

import "time"

// Violations are the starts that must not happen.
type Violations struct {
	BeforeDue     Starts
	AfterDeadline Starts
	AfterCancel   Starts
}

// Starts counts the starts of one kind of violation.
type Starts struct {
	Count int
	Worst time.Duration // how much too early or too late, at most
}

func (s *Starts) add(by time.Duration) {
	s.Count++
	s.Worst = max(s.Worst, by)
}

// Violations counts the runs that began at a wrong time. Due times follow from what the
// callers asked for and from what handlers returned, never from what the queue wrote down:
// an item is due After the call that enqueued it began, at the earliest, and again After its
// run ended that failed or snoozed; its deadline is After that call returned, at the
// latest.
//
// Two inaccuracies are allowed for: databases keep whole milliseconds, so that an item may begin
// 2 ms early; and 20 ms may pass between the last look of a worker at an item and the first line
// of its handler, so that a run counts as later than a deadline or a cancel only when it is later
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

// Waits lists how long the items of a band waited from when they were due until a run
// began, in milliseconds; those that were due before all workers had started, from then
// on.
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
