package scheduler

import "time"

// follow takes over what the runner before, whose schedule was replaced and whose
// loop has ended, has left: until then, by its clock, its schedule was in force.
func (r *runner) follow(before *runner, until time.Time) {
	r.waiting, r.waitsFor, r.won = before.waiting, before.waitsFor, before.won
	r.asked, r.outage = before.asked, before.outage
	switch {
	case before.job.Schedule == nil:
	case r.job.Schedule == nil || r.job.Scope != before.job.Scope:
		before.forsake(until, "the schedule was changed before this instant was fired")
	default:
		r.timetable = append(before.timetable, r.timetable...)
		r.fresh, r.startedAt = before.fresh, before.startedAt
		r.begun, r.origin, r.cursor = before.begun, before.origin, before.cursor
		r.doubt, r.quietSince = before.doubt, before.quietSince
	}
	r.backlog = before.backlog
}

// forsake records the instants up to until that no worker will fire. If another worker fires or
// records one first, that counts.
func (r *runner) forsake(until time.Time, why string) {
	if r.job.Schedule == nil {
		return
	}
	if !r.begun { // what was before the start is not read yet
		r.cursor = r.localTime().Add(-time.Since(r.startedAt))
	}
	r.gone = why
	r.timetable.place(r.localTime())
	r.missBefore(r.timetable.prev(until).Add(1), until)
}

// dropReplaced forgets the schedules that were replaced, since nothing is left to
// decide about them.
func (r *runner) dropReplaced() {
	if len(r.timetable) < 2 {
		return
	}
	r.timetable = r.timetable.last()
	if from := r.timetable[0].from; from.After(r.cursor) {
		r.cursor = from // it has planned nothing before
	}
}
