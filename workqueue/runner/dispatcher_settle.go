package runner

import (
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// settle ends the steps of a session that have nothing left to do, and has the
// session look again where that may be wrong.
func (d *dispatcher) settle(s *Session, now time.Time) {
	if !s.poll.IsZero() && !now.Before(s.poll) {
		s.poll = now.Add(assign.RefillEvery)
		if d.waiting(s) {
			s.sweep(now)
			d.mayClaim()
		}
	}
	for _, st := range s.steps {
		if !st.waits() || st.items > 0 {
			continue
		}
		switch {
		case st.stopped != nil:
			d.end(st, st.stopped)
		case d.slots.hopeless(need{priority: st.band.Max}):
			d.end(st, errAllStuck)
		case d.claiming || d.reading > 0:
		case st.trouble != nil:
			d.end(st, st.trouble)
		case d.below > st.band.Min || d.skipped:
		case s.wants(st.band.Min) && d.canPass(st):
		case !s.dry && !s.busy() && d.canPass(st):
			// The last items have ended. The pass counts what a worker holds, so it
			// may find more now than the one before.
			s.dry = true
			s.raise()
		case s.last(st) && !st.bounded && s.stays(now):
		default:
			d.end(st, nil)
		}
	}
	d.leave(s)
}

// end lets Execute return.
func (d *dispatcher) end(st *step, err error) {
	st.ended, st.err = true, err
	if st.session.last(st) && err == nil {
		st.session.closed = true
	}
	close(st.done)
}

// waiting reports whether a session has items that run, or waits for a slot.
func (d *dispatcher) waiting(s *Session) bool {
	for _, st := range s.steps {
		if st.waits() && (st.items > 0 || d.below > st.band.Min || s.wants(st.band.Min)) {
			return true
		}
	}
	return false
}

// refills reports whether some step that waits asks for more items by itself.
func (s *Session) refills() bool {
	for _, st := range s.steps {
		if st.waits() && st.refill {
			return true
		}
	}
	return false
}

// canPass reports whether there are passes to repeat for a step: when it refills, or
// its session is told of new work.
func (d *dispatcher) canPass(st *step) bool {
	return (st.refill || st.session.o.Wakes) && len(d.passesOf(st.session, []workqueue.Band{st.band})) > 0
}

// busy reports whether items of the session run, or their ends are not written.
func (s *Session) busy() bool {
	for _, st := range s.steps {
		if st.items > 0 {
			return true
		}
	}
	return false
}

// outcome is what a step came to, and how many of its items have no end: it is asked
// when the step has ended, or when nothing is written any more.
func (d *dispatcher) outcome(st *step) (result ExecuteResult, left int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	st.ended = true
	d.leave(st.session)
	return st.result, st.items + st.lost, st.err
}
