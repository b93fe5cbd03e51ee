package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

const (
	// claimLimit bounds the items of one claim.
	claimLimit = 500

	// claimAhead is how long a claimed item may begin by what was true at its claim, and
	// so how much work is claimed beyond the free slots at most: little enough that others
	// can still have the rest.
	claimAhead = 250 * time.Millisecond

	// lineAhead is how much work a claim ahead brings: enough that claims cost little. It
	// is aheadTrips round trips if that is more, and half of claimAhead at most.
	lineAhead = 80 * time.Millisecond

	// A worker claims ahead only while more items than it has slots begin within
	// aheadTrips round trips as they are at present, but for leastTrip at least: else what
	// comes and is more urgent would find other items before it.
	aheadTrips = 4
	leastTrip  = 2500 * time.Microsecond

	// claimBytes bounds the payloads and pipelines of the items that one claim brings
	// beyond the free slots.
	claimBytes = 32 << 20

	// waitAtMost bounds how long a claimed item waits for its slot before it goes back,
	// which is waitTrips round trips, and waitAtLeast.
	waitAtMost, waitAtLeast = time.Second, 500 * time.Millisecond
	waitTrips               = aheadTrips

	// waitMost bounds the claimed items that wait for their channels. They hold up no
	// others behind them, but can go to no other worker meanwhile.
	waitMost = 50

	// leastPause and mostPause bound the wait after a claim or a pass that failed.
	leastPause, mostPause = 100 * time.Millisecond, 5 * time.Second
)

// dispatcher gives this worker's slots to the most urgent items of the sessions
// that are open. It alone claims for them, and all that is claimed waits in one
// line, so no step and no pipeline can keep a slot from another one.
//
// One goroutine, run, decides what to claim and when a step has ended. Items run in
// lanes of their own, each of which takes the next item of the line itself.
type dispatcher struct {
	r        *Runner
	lanes    *lanes
	poked    chan struct{} // holds a token when there is something to decide
	fetches  sync.WaitGroup
	oneByOne bool // some channel has a maximum: a claim of several items may bring too many of it

	mu       sync.Mutex
	slots    slots
	line     line
	sessions []*Session // that have an open step, or one that waits
	policies queuePolicies
	pace     throughput
	trip     time.Duration // from the start of a fetch until its items are in line, exponentially weighted
	cost     float64       // of an item, in slots, exponentially weighted
	bytes    int           // of an item's payload and pipeline: the mean of the latest claims

	// below is the priority below which a claim may find something, as in looks.
	below   int
	skipped bool      // the latest claim left out channels that were full: their items may be found when they are not
	news    int       // counts how often it was raised: a claim that began before says nothing of what came since
	asked   time.Time // when a claim began last
	reserve *reserve  // for a large item that went back; nil: none

	stray  bool      // something may be assigned to this worker that finds no free slot
	strays time.Time // before that is not given back

	asking   bool      // it is being asked whether the items in line are still held
	retryAsk time.Time // not before: the last try failed

	claiming bool // a claim or a pass is under way
	reading  int  // items that are claimed and being read
	brought  int  // items that the latest claim or pass has brought

	retry  time.Time // nothing is claimed before: the last try failed
	pause  time.Duration
	beaten time.Time // when the latest heartbeat began that was written

	items int           // claimed, and their ends are not written yet
	quiet chan struct{} // closed when nothing is claimed; nil: no one waits for that
}

func newDispatcher(r *Runner) *dispatcher {
	d := &dispatcher{
		r: r, lanes: newLanes(), poked: make(chan struct{}, 1), below: anything, cost: 1,
		slots: newSlots(r.o.Spec.Capacity, r.o.Spec.ReservedSlots),
	}
	for _, c := range r.o.Spec.Channels {
		d.cost = max(d.cost, float64(c.Cost))
		d.oneByOne = d.oneByOne || c.Max > 0
	}
	return d
}

// poke has the loop look at everything again.
func (d *dispatcher) poke() {
	select {
	case d.poked <- struct{}{}:
	default:
	}
}

// mayClaim notes that something may be assigned to this worker.
func (d *dispatcher) mayClaim() {
	d.below, d.skipped = anything, false
	d.news++
}

// nothingFrom notes that nothing is left to claim at a priority and above, unless
// there has been news since the fetch began.
func (d *dispatcher) nothingFrom(least int, f *fetch) {
	if d.news == f.claimNews {
		d.below = min(d.below, least)
		d.skipped = d.skipped || len(f.full) > 0
	}
}

// run decides until ctx ends.
func (d *dispatcher) run(ctx context.Context) {
	defer d.lanes.close()
	defer d.fetches.Wait()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		f, wait := d.decide(time.Now())
		if f != nil {
			d.fetches.Go(func() { d.fetch(f) })
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

// decide gives back what has waited too long, ends the steps that are over, and
// returns what to fetch, or how long nothing is to be decided if nothing happens.
func (d *dispatcher) decide(now time.Time) (*fetch, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.r.drains() {
		d.stopAll(workqueue.ErrDraining)
	}
	d.giveBackLate(now)
	for _, s := range slices.Clone(d.sessions) {
		d.settle(s, now)
	}
	d.ask(now)
	d.lookAfterReserve(now)
	if f := d.plan(now); f != nil {
		d.claiming = true
		return f, 0
	}
	return nil, d.nextTime(now)
}

// open begins a step: its priorities, and those that the other steps of its session
// have announced, are open from now on.
func (d *dispatcher) open(ctx context.Context, s *Session, p ExecuteParams, queues []workqueue.Queue) *step {
	policies := d.r.policies(queues)
	d.mu.Lock()
	defer d.mu.Unlock()
	st := s.begin(ctx, p)
	d.policies = policies
	s.opened = true
	s.poll = time.Now().Add(assign.RefillEvery)
	if !slices.Contains(d.sessions, s) { // it has left when none of its other steps was open
		d.sessions = append(d.sessions, s)
	}
	d.mayClaim()
	d.poke()
	return st
}

// stop lets nothing more be started for a step.
func (d *dispatcher) stop(st *step, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st.stopped == nil {
		st.stopped = cause
	}
	d.giveBackClosed()
	d.poke()
}

// stopAll lets nothing more be started.
func (d *dispatcher) stopAll(cause error) {
	for _, s := range d.sessions {
		for _, st := range s.steps {
			if st.stopped == nil {
				st.stopped = cause
			}
		}
	}
	d.giveBackClosed()
}

// leave forgets a session none of whose steps is open or waits.
func (d *dispatcher) leave(s *Session) {
	if slices.ContainsFunc(s.steps, func(st *step) bool { return st.open() || st.waits() }) {
		return
	}
	d.sessions = slices.DeleteFunc(d.sessions, func(other *Session) bool { return other == s })
	d.giveBackClosed()
}

// stepFor is the step that an item of a priority counts for; nil when none runs such
// items.
func (d *dispatcher) stepFor(priority int) *step {
	for _, s := range d.sessions {
		if st := s.stepFor(priority); st != nil {
			return st
		}
	}
	return nil
}

// bands are the priorities that are open, the most urgent first.
func (d *dispatcher) bands() []workqueue.Band {
	var all []workqueue.Band
	for _, s := range d.sessions {
		all = append(all, s.bands()...)
	}
	joined := workqueue.JoinBands(all)
	slices.Reverse(joined)
	return joined
}

// nextTime is how long until something is to be decided though nothing happens.
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
	sooner(d.retry)
	sooner(d.nextAsk(now))
	if d.reserve != nil {
		sooner(d.reserve.lookAt)
	}
	if d.stray && d.slots.free == 0 {
		sooner(d.strays)
	}
	for _, s := range d.sessions {
		sooner(s.gate)
		sooner(s.poll)
		sooner(s.until)
	}
	return next.Sub(now)
}

// within is how many items are likely to begin within a time.
func (d *dispatcher) within(t time.Duration, now time.Time) int {
	if d.slots.free == d.r.o.Spec.Capacity {
		now = d.pace.last // nothing runs, for want of items
	}
	return d.pace.within(t, now)
}

// fast reports whether items are so short that several run while a claim is on its way.
func (d *dispatcher) fast(now time.Time) bool {
	return d.within(min(aheadTrips*max(d.trip, leastTrip), claimAhead), now) > d.capacity()
}

// slow reports whether slots do not come free all the time.
func (d *dispatcher) slow(now time.Time) bool { return d.within(claimAhead, now) <= d.capacity() }

// patience is how long a claimed item waits for its slot.
func (d *dispatcher) patience() time.Duration {
	return min(max(waitTrips*d.trip, waitAtLeast), waitAtMost)
}

// awaitQuiet waits until the ends of all claimed items are written.
func (d *dispatcher) awaitQuiet() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.quiet == nil {
		d.quiet = make(chan struct{})
		d.tellQuiet()
	}
	return d.quiet
}

// tellQuiet closes quiet, once, when nothing is claimed. It is for a worker that
// drains: nothing more is claimed then.
func (d *dispatcher) tellQuiet() {
	if d.quiet == nil || d.items > 0 || d.claiming || d.reading > 0 {
		return
	}
	select {
	case <-d.quiet:
	default:
		close(d.quiet)
	}
}

// alive notes that a heartbeat that began at a time is written.
func (d *dispatcher) alive(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.beaten = at
	d.poke()
}

// errSilent says that a worker cannot renew leases, and so takes no more of them.
var errSilent = errors.New("no items are claimed while heartbeats cannot be written")

// silent reports whether heartbeats have not been written for so long that what is
// claimed now might lose its lease before it has ended.
func (d *dispatcher) silent(now time.Time) bool {
	o := &d.r.o
	return now.Sub(d.beaten) > min(2*o.Heartbeat+o.Heartbeat/2, o.Spec.Lease*3/4)
}

// failed notes that a claim or a pass failed: the sessions' steps end with that
// unless something of theirs runs, and else it is tried again after a pause.
func (d *dispatcher) failed(err error, now time.Time) {
	d.pause = min(max(2*d.pause, leastPause), mostPause)
	d.retry = now.Add(d.pause)
	for _, s := range d.sessions {
		for _, st := range s.steps {
			if st.waits() && st.trouble == nil && !errors.Is(err, workqueue.ErrDraining) {
				st.trouble = err
			}
		}
	}
}

// worked notes that a claim or a pass succeeded.
func (d *dispatcher) worked() {
	d.retry, d.pause = time.Time{}, 0
	for _, s := range d.sessions {
		for _, st := range s.steps {
			st.trouble = nil
		}
	}
}
