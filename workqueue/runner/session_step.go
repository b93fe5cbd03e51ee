package runner

import (
	"context"

	"botwork/workqueue"
)

// step is a step of a session that executes items. board.mu guards it, except done.
type step struct {
	session *Session
	name    string
	band    workqueue.Band // the zero Band: unknown before the step begins
	refill  bool
	bounded bool // it has its own timeout and does not wait for more work

	started bool
	ended   bool
	stopped error // why it starts no more items; running items continue
	lastErr error // why the latest claim or pass failed; nil: it did not

	items  int // claimed for it, with results that are not written yet
	lost   int // ended items whose results could not be written
	result ExecuteResult

	err  error         // set before done is closed
	done chan struct{} // closed when the step has ended; nil before it begins
}

// open reports whether items are started for the step. A step whose priorities are known is
// open from the start of the session's first step.
func (st *step) open() bool {
	return !st.ended && st.stopped == nil && (st.started || st.band != workqueue.Band{})
}

// waits reports whether Execute waits for the step.
func (st *step) waits() bool { return st.started && !st.ended }

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

// begin starts the step that a call of Execute belongs to. A step that is not in
// SessionOptions.Steps, or that runs again, is added after the others.
func (s *Session) begin(ctx context.Context, p ExecuteParams) *step {
	var st *step
	for _, known := range s.steps {
		if known.name == p.Step && !known.started {
			st = known
			break
		}
	}
	if st == nil {
		st = &step{session: s, name: p.Step}
		s.steps = append(s.steps, st)
	}
	_, st.bounded = ctx.Deadline()
	st.band, st.refill, st.started, st.done = p.Band, p.Refill, true, make(chan struct{})
	if s.halted {
		st.stopped = errHalted
	}
	return st
}
