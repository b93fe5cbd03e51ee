package runner

import (
	"context"

	"botwork/workqueue"
)

// step is a step of a session that executes items. The dispatcher's mutex guards
// it, but for done.
type step struct {
	session *Session
	name    string
	band    workqueue.Band // the zero Band: not known before the step begins
	refill  bool
	bounded bool // it has a time-out of its own: it does not stay for more work

	begun   bool
	ended   bool
	stopped error // why it starts nothing more, though what runs goes on
	trouble error // why the latest look for work failed; nil: it did not

	items  int // claimed for it, and their ends are not written yet
	lost   int // of those that are over: their ends could not be written
	result ExecuteResult

	err  error         // set before done is closed
	done chan struct{} // closed when the step has ended; nil before it begins
}

// open reports whether items are started for the step. One whose priorities are
// known is open from the beginning of the first.
func (st *step) open() bool {
	return !st.ended && st.stopped == nil && (st.begun || st.band != workqueue.Band{})
}

// waits reports whether Execute waits for the step.
func (st *step) waits() bool { return st.begun && !st.ended }

// count counts a run that has ended.
func (st *step) count(v workqueue.Verdict) {
	switch v {
	case workqueue.Succeeded:
		st.result.Succeeded++
	case workqueue.Failed:
		st.result.Failed++
	case workqueue.Snoozed:
		st.result.Snoozed++
	case workqueue.Released:
		st.result.Released++
	case workqueue.Dropped:
		st.result.Dropped++
	}
}

// begin finds the step that a call of Execute is, and begins it. A step that was
// not announced, or that runs once more, gets a place behind the others.
func (s *Session) begin(ctx context.Context, p ExecuteParams) *step {
	var st *step
	for _, known := range s.steps {
		if known.name == p.Step && !known.begun {
			st = known
			break
		}
	}
	if st == nil {
		st = &step{session: s, name: p.Step}
		s.steps = append(s.steps, st)
	}
	_, st.bounded = ctx.Deadline()
	st.band, st.refill, st.begun, st.done = p.Band, p.Refill, true, make(chan struct{})
	return st
}
