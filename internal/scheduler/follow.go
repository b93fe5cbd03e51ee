package scheduler

import "time"

// follow takes over the state of the previous runner, whose schedule was replaced and whose
// loop has ended. Its schedule applied up to until, by its clock.
func (r *runner) follow(before *runner, until time.Time) {
	r.waiting, r.waitsFor, r.won = before.waiting, before.waitsFor, before.won
	r.asked, r.outage = before.asked, before.outage
	switch {
	case before.job.Schedule == nil:
	case r.job.Schedule == nil || r.job.Scope != before.job.Scope:
		before.recordMissed(until, "the schedule was changed before this instant was fired")
	default:
		r.timetable = append(before.timetable, r.timetable...)
		r.fresh, r.startedAt = before.fresh, before.startedAt
		r.initialized, r.origin, r.cursor = before.initialized, before.origin, before.cursor
		r.doubt, r.quietSince = before.doubt, before.quietSince
	}
	r.backlog = before.backlog
}

// recordMissed records the instants up to until that no worker will fire. If another worker
// fires or records one first, that record is kept.
func (r *runner) recordMissed(until time.Time, why string) {
	if r.job.Schedule == nil {
		return
	}
	if !r.initialized { // the earlier firings are not read yet
		r.cursor = r.localTime().Add(-time.Since(r.startedAt))
	}
	r.missedReason = why
	r.timetable.place(r.localTime())
	r.missBefore(r.timetable.prev(until).Add(1), until)
}

// dropReplaced removes the replaced schedules when all their instants were handled.
func (r *runner) dropReplaced() {
	if len(r.timetable) < 2 {
		return
	}
	r.timetable = r.timetable.last()
	if from := r.timetable[0].from; from.After(r.cursor) {
		r.cursor = from // the schedule has no earlier instants
	}
}
