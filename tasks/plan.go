package tasks

import "time"

// Plan is a schedule that has been understood. It is immutable.
type Plan struct {
	windows  windows
	zone     *time.Location
	notes    []string
	instants bool // of a cron expression
}

// windows is one way to lay out windows in time.
type windows interface {
	// last returns the latest window that opened at or before the instant, next
	// the first that opens behind it; none is the zero Window.
	last(at time.Time) Window
	next(after time.Time) Window
}

// Window is one stretch of time in which a task has to be started once: from At
// on and before Until, both in UTC.
type Window struct {
	At, Until time.Time

	// Unit is when the day, week or month of the window begins; a cron expression's is At. A
	// record of the task from Unit on means that it has been served, although its definition may
	// have changed since.
	Unit time.Time

	// Open windows end because the next one begins: there is no deadline.
	Open bool
}

// Contains reports whether the window is open at now.
func (w Window) Contains(now time.Time) bool {
	return !w.At.IsZero() && !now.Before(w.At) && now.Before(w.Until)
}

// Deadline is when an item of the window must have started; zero: no bound.
func (w Window) Deadline() time.Time {
	if w.Open {
		return time.Time{}
	}
	return w.Until
}

// Occurrence returns the window that is open at now, if one is. It depends on
// nothing but its arguments: every machine gets the same answer.
func (p *Plan) Occurrence(now time.Time) (Window, bool) {
	w := p.windows.last(now)
	return w, w.Contains(now)
}

// Last returns the latest window that opened at or before the instant; its At is
// zero when there is none.
func (p *Plan) Last(at time.Time) Window { return p.windows.last(at) }

// Next returns the first window that opens behind the instant; its At is zero
// when there is none within about nine years.
func (p *Plan) Next(after time.Time) Window { return p.windows.next(after) }

// counts reports whether a window matters to a task that is settled until then: a unit that has
// not ended does, but an instant of a cron expression that came before a task was defined is none
// of its.
func (p *Plan) counts(w Window, settled time.Time) bool {
	if p.instants {
		return !w.At.IsZero() && !w.At.Before(settled)
	}
	return !w.At.IsZero() && w.Until.After(settled)
}

// Zone is whose wall clock counts.
func (p *Plan) Zone() *time.Location { return p.zone }

// Notes say, in sentences, where the schedule is not to be taken by the letter.
func (p *Plan) Notes() []string { return p.notes }
