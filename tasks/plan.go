package tasks

import "time"

// Plan is a parsed schedule. It is immutable.
type Plan struct {
	windows  windows
	zone     *time.Location
	notes    []string
	instants bool // of a cron expression
}

// windows calculates the windows of a schedule.
type windows interface {
	// last returns the latest window that opened at or before the instant, next the first that
	// opens after it; the zero Window means none.
	last(at time.Time) Window
	next(after time.Time) Window
}

// Window is a period in which a task must be started once: from At until before Until, both in UTC.
type Window struct {
	At, Until time.Time

	// Unit is the start of the window's day, week or month; for a cron expression it is At. A
	// record of the task since Unit means that the unit is done, even if the definition has
	// changed since.
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

// Occurrence returns the window that is open at now, if any. It depends only on its arguments,
// so that every machine gets the same result.
func (p *Plan) Occurrence(now time.Time) (Window, bool) {
	w := p.windows.last(now)
	return w, w.Contains(now)
}

// Last returns the latest window that opened at or before the instant; its At is
// zero when there is none.
func (p *Plan) Last(at time.Time) Window { return p.windows.last(at) }

// Next returns the first window that opens after the instant; its At is zero if there is none
// within about nine years.
func (p *Plan) Next(after time.Time) Window { return p.windows.next(after) }

// counts reports whether a window counts for a task that is settled until then: a unit that
// has not ended counts, but an instant of a cron expression before the task was defined does
// not.
func (p *Plan) counts(w Window, settled time.Time) bool {
	if p.instants {
		return !w.At.IsZero() && !w.At.Before(settled)
	}
	return !w.At.IsZero() && w.Until.After(settled)
}

// Zone returns the time zone of the schedule.
func (p *Plan) Zone() *time.Location { return p.zone }

// Notes returns sentences that describe where the schedule is clamped.
func (p *Plan) Notes() []string { return p.notes }
