package runner

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// dispatcher gives this worker's slots to the most urgent items of the open sessions. All
// claimed items wait in one line, so that no step or pipeline can block the slots of another.
//
// One goroutine, run, decides what to claim and when a step has ended. The planner plans
// claims, the claimer makes them, the supervisor runs the claimed items, and the checker
// checks that waiting items are still held. All of them share one board.
type dispatcher struct {
	*board
	planner *claimPlanner
	claimer *claimer
	runs    *supervisor
	checker *heldChecker
}

func newDispatcher(r *Runner) *dispatcher {
	b := newBoard(r)
	return &dispatcher{b, newClaimPlanner(b), &claimer{b}, &supervisor{b, newLanes()}, &heldChecker{board: b}}
}

// run decides what to do until ctx ends.
func (d *dispatcher) run(ctx context.Context) {
	defer d.runs.lanes.close()
	defer d.background.Wait()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		f, wait := d.decide(time.Now())
		if f != nil {
			d.background.Go(func() { d.fetch(f) })
			continue
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-d.poked:
		case <-timer.C:
		}
	}
}

// decide releases items that have waited too long, ends the steps that are done, and returns
// what to fetch, or how long to wait until the next decision.
func (d *dispatcher) decide(now time.Time) (*fetch, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if cause := d.r.closed(); cause != nil {
		d.runs.stopAll(cause)
	}
	d.runs.releaseLate(now)
	for _, s := range slices.Clone(d.sessions) {
		d.settle(s, now)
	}
	d.checker.checkLine(now)
	d.checker.checkReserve(now)
	if f := d.planner.plan(now); f != nil {
		d.claiming = true
		return f, 0
	}
	return nil, d.nextTime(now)
}

// open begins a step: its priorities, and those announced for the other steps of its
// session, are open from now on.
func (d *dispatcher) open(ctx context.Context, s *Session, p ExecuteParams, queues []workqueue.Queue) *step {
	policies := d.r.policies(queues)
	d.mu.Lock()
	defer d.mu.Unlock()
	st := s.begin(ctx, p)
	d.policies = policies
	s.opened = true
	s.poll = time.Now().Add(assign.RefillEvery)
	if !slices.Contains(d.sessions, s) { // it was removed when none of its other steps was open
		d.sessions = append(d.sessions, s)
	}
	d.mayClaim()
	d.poke()
	return st
}

// leave removes a session without open or waiting steps.
func (d *dispatcher) leave(s *Session) {
	if slices.ContainsFunc(s.steps, func(st *step) bool { return st.open() || st.waits() }) {
		return
	}
	d.sessions = slices.DeleteFunc(d.sessions, func(other *Session) bool { return other == s })
	d.runs.releaseClosed()
}

// nextTime returns how long to wait until the next decision if nothing happens.
func (d *dispatcher) nextTime(now time.Time) time.Duration {
	next := now.Add(time.Hour)
	sooner := func(t time.Time) {
		if t.After(now) && t.Before(next) {
			next = t
		}
	}
	if oldest := d.line.oldest(); !oldest.IsZero() {
		sooner(oldest.Add(d.patience()))
	}
	sooner(d.planner.retry)
	sooner(d.checker.nextCheck(now))
	if d.reserve != nil {
		sooner(d.reserve.checkAt)
	}
	if d.unplaced && d.slots.free == 0 {
		sooner(d.planner.releaseFrom)
	}
	for _, s := range d.sessions {
		sooner(s.gate)
		sooner(s.poll)
		sooner(s.until)
	}
	return next.Sub(now)
}

// fetch makes a claim or passes, and puts the claimed items in line. The next fetch may begin
// as soon as the items are claimed, while they are still being read.
func (d *dispatcher) fetch(f *fetch) {
	ctx := d.r.dispatchCtx
	var got claimBatch
	var err error
	switch {
	case f.release:
		err = d.claimer.releaseUnplaced(ctx, f)
	case f.session == nil:
		got, err = d.claimer.claim(f)
	default:
		got, err = d.claimer.pass(ctx, f)
	}
	if got.confirmed = time.Now(); got.confirmed.Sub(got.since) > claimAhead {
		got.confirmed = got.since // the answer took too long to be current
	}
	n := got.Len()
	// A few items are put in line before the next decision, because a fetch planned without
	// them could be wrong. Many items take time, so the next fetch starts in the meantime.
	later := got.Unread() || n > holdAtOnce
	var list []*claimed
	if !later {
		list = d.runs.hold(d.claimer.read(ctx, got), got)
	}
	d.mu.Lock()
	d.claiming, d.fetched = false, n
	if err != nil {
		d.planner.recordFailure(err, time.Now())
	} else {
		d.planner.recordSuccess()
	}
	d.poke()
	if later {
		d.reading += n
		d.mu.Unlock()
		list = d.runs.hold(d.claimer.read(ctx, got), got)
		d.mu.Lock()
		d.reading -= n
	}
	if n == 0 {
		d.closeQuiet()
		d.mu.Unlock()
		return
	}
	d.roundTrip += (time.Since(got.since) - d.roundTrip) / 4
	d.runs.addToLine(list)
	begin := d.runs.fill()
	d.closeQuiet()
	d.mu.Unlock()
	if len(begin) > 1 {
		d.runs.recordBegins(d.r.runs, begin...)
	}
	for _, it := range begin {
		d.runs.launch(it)
	}
	d.poke()
}

// settle ends the steps of a session that have nothing left to do, and makes the session
// look for work again if there may be some.
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
		case d.slots.blockedByStuck(need{priority: st.band.Max}):
			d.end(st, errAllStuck)
		case d.claiming || d.reading > 0:
		case st.lastErr != nil:
			d.end(st, st.lastErr)
		case d.below > st.band.Min || d.skipped:
		case s.mayFind(st.band.Min) && d.canPass(st):
		case !s.dry && !s.busy() && d.canPass(st):
			// The last items have ended. A pass counts the items that a worker holds, so
			// another one may find more now.
			s.dry = true
			s.raise()
		case s.last(st) && !st.bounded && s.stays(now):
		default:
			d.end(st, nil)
		}
	}
	d.leave(s)
}

// end ends a step, so that Execute returns.
func (d *dispatcher) end(st *step, err error) {
	st.ended, st.err = true, err
	if st.session.last(st) && err == nil {
		st.session.closed = true
	}
	close(st.done)
}

// outcome returns the result of a step and how many of its items have not ended. Call it when
// the step has ended, or when no more results are written.
func (d *dispatcher) outcome(st *step) (result ExecuteResult, left int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	st.ended = true
	d.leave(st.session)
	return st.result, st.items + st.lost, st.err
}
