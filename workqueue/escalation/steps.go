package escalation

import (
	"math"
	"time"
)

// Step returns the number of the latest step of the rule that is due at now for an item that became
// due at due: 1 is the first one, 0 is none. active is since when the rule's condition has been true; the zero time if
// the rule has none.
//
// After 10m, Every 5m: 1 after 10, 2 after 15, 3 after 20 minutes.
func (r *Rule) Step(due, active, now time.Time) int {
	waited := now.Sub(r.begins(due, active))
	switch {
	case waited < 0:
		return 0
	case r.every() == 0:
		return 1
	}
	return int(min(waited/r.every()+1, math.MaxInt32))
}

// StepAt returns when a step is due for an item that became due at due, while the rule's condition
// holds.
func (r *Rule) StepAt(step int, due, active time.Time) time.Time {
	return r.begins(due, active).Add(time.Duration(step-1) * r.every())
}

// begins returns when the first step is due.
func (r *Rule) begins(due, active time.Time) time.Time {
	begins := due.Add(r.After)
	if active.After(begins) {
		return active
	}
	return begins
}

// every returns the time between two steps; 0 if there is one step.
func (r *Rule) every() time.Duration {
	if r.Raise == nil {
		return 0
	}
	return r.Raise.Every
}

// Raised returns the priority after a number of further steps of the rule. It is never lower than
// before.
//
// {by: 100, to: 1250} and 1000: 1100 after one step, 1250 after three.
func (r *Raise) Raised(priority, steps int) int {
	if steps <= 0 {
		return priority
	}
	most := int64(math.MaxInt32)
	if r.To != nil {
		most = int64(*r.To)
	}
	raised := int64(priority) + int64(r.By)*int64(steps)
	if r.By == 0 {
		raised = most
	}
	return int(max(min(raised, most), int64(priority)))
}

// Next is what a rule does to an item next.
type Next struct {
	At       time.Time
	Step     int
	Priority int // after the step; that of before if the rule does not raise it
}

// Next returns the next time at which the rule acts on a waiting item: one that became due at due,
// has this priority, and on which done steps have acted. At is not before now. It assumes that the
// condition, if there is one, holds from active on. ok is false if the rule does nothing more.
func (r *Rule) Next(due, active, now time.Time, priority, done int) (next Next, ok bool) {
	if r.Announces() || done > 0 && r.every() == 0 {
		return Next{}, false
	}
	next = Next{Step: max(done+1, r.Step(due, active, now)), Priority: priority}
	next.At = r.StepAt(next.Step, due, active)
	if next.At.Before(now) {
		next.At = now
	}
	if r.Raise != nil {
		next.Priority = r.Raise.Raised(priority, next.Step-done)
		if next.Priority == priority {
			return Next{}, false
		}
	}
	return next, true
}
