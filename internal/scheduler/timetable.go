package scheduler

import (
	"slices"
	"time"

	"botwork/internal/cron"
)

// timetable has the planned instants of a runner. It has one span, or none without a
// schedule. While a replaced schedule has instants that were not handled, it has more
// spans: the old schedule applies up to the time of the replacement, and the new one
// afterwards.
type timetable []span

// span is a schedule with the time in which it applies: after since, up to and including
// the start of the next span. The first span has no start.
type span struct {
	schedule *cron.Schedule
	since    time.Time // from when it applies, with the monotonic clock
	from     time.Time // the same by the schedule's clock; zero: not known yet
}

// newTimetable returns the timetable of a schedule, which may be nil, that applies from
// now on.
func newTimetable(schedule *cron.Schedule) timetable {
	if schedule == nil {
		return nil
	}
	return timetable{{schedule: schedule, since: time.Now()}}
}

// place calculates, once, when each span begins by the schedule's clock.
func (t timetable) place(now time.Time) {
	for i := range t {
		if t[i].from.IsZero() {
			t[i].from = now.Add(-time.Since(t[i].since))
		}
	}
}

// last returns the timetable with the last span only.
func (t timetable) last() timetable { return t[max(len(t)-1, 0):] }

// next returns the first instant after the given one; zero if there is none.
func (t timetable) next(after time.Time) time.Time {
	for i, s := range t {
		begin := after
		if i > 0 && s.from.After(begin) {
			begin = s.from
		}
		at := s.schedule.Next(begin)
		if last := i == len(t)-1; last || !at.IsZero() && !at.After(t[i+1].from) {
			return at
		}
	}
	return time.Time{}
}

// prev returns the latest instant that is not after at; zero if there is none.
func (t timetable) prev(at time.Time) time.Time {
	for i, s := range slices.Backward(t) {
		if i > 0 && !at.After(s.from) {
			continue
		}
		if found := s.schedule.Prev(at); !found.IsZero() && (i == 0 || found.After(s.from)) {
			return found
		}
		at = s.from
	}
	return time.Time{}
}

// count returns how many instants there are after from and up to to, at most limit.
func (t timetable) count(from, to time.Time, limit int) int {
	n := 0
	for n < limit {
		if from = t.next(from); from.IsZero() || from.After(to) {
			break
		}
		n++
	}
	return n
}
