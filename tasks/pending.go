package tasks

import (
	"slices"
	"time"
)

// pendingTask is a task with the windows that a pass must check.
type pendingTask struct {
	task   *Task
	open   *Window
	closed []Window // the latest first
	more   bool     // earlier windows also closed and are not listed

	// records are the planned instants that have a record, by scope value.
	records map[string][]time.Time
}

// pendingWindows finds the open window and those that closed since settled.
func pendingWindows(t *Task, settled, now time.Time) *pendingTask {
	p := &pendingTask{task: t, records: map[string][]time.Time{}}
	for w := t.plan.Last(now); t.plan.counts(w, settled); w = t.plan.Last(w.At.Add(-1)) {
		switch {
		case w.Contains(now):
			p.open = &w
		case len(p.closed) == maxClosed:
			p.more = true
			return p
		default:
			p.closed = append(p.closed, w)
		}
	}
	return p
}

// first is the start of the earliest unit that counts.
func (p *pendingTask) first() time.Time {
	if len(p.closed) > 0 {
		return p.closed[len(p.closed)-1].Unit
	}
	return p.open.Unit
}

// served reports whether the unit of the window has a record for the scope value.
func (p *pendingTask) served(w Window, scope string) bool {
	return slices.ContainsFunc(p.records[scope], func(at time.Time) bool {
		return !at.Before(w.Unit) && at.Before(w.Until)
	})
}
