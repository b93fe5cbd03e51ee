package runner

import (
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// board is the state that the parts of a dispatcher share: the slots, the line of claimed
// items, the open sessions, and what is known about waiting work.
type board struct {
	r          *Runner
	poked      chan struct{} // holds a token when there is something to decide
	background sync.WaitGroup

	mu        sync.Mutex
	slots     slots
	channels  workqueue.Channels // that this worker runs; nil: all
	queues    []string           // that it serves; nil: all
	overrides workqueue.JSONText // what a person set instead of the process's settings

	// reconfigured is true until the next plan: what sessions reuse of passes has the old settings.
	reconfigured bool
	line         line
	sessions     []*Session // the sessions with an open or waiting step
	policies     queuePolicies
	pace         throughput
	roundTrip    time.Duration // from the start of a fetch until its items are in line, exponentially weighted
	cost         float64       // slots of an item, exponentially weighted
	bytes        int           // size of an item's payload and pipeline: the mean of the latest claims

	// below is the priority below which a claim may find something, as in passState.
	below    int
	skipped  bool     // the latest claim left out full channels: there may be items for them when they have room
	claimGen int      // how often below was raised; the result of an earlier claim does not cover later work
	reserve  *reserve // the slots for a large item that was released; nil: none

	unplaced bool // other workers may have assigned items to this worker for which no slot is free

	claiming bool // a claim or a pass is under way
	reading  int  // items that are claimed and being read
	fetched  int  // items of the latest claim or pass

	items  int           // claimed items whose outcomes are not written yet
	ending int           // of these: ended ones
	quiet  chan struct{} // closed when nothing is claimed; nil: no goroutine waits for it
}

func newBoard(r *Runner) *board {
	b := &board{
		r: r, poked: make(chan struct{}, 1), below: anything, cost: 1,
		slots: newSlots(r.o.Spec.Capacity, r.o.Spec.ReservedSlots), channels: r.o.Spec.Channels, queues: r.o.Spec.Queues,
	}
	b.expectCost()
	return b
}

// poke makes the loop decide again.
func (b *board) poke() {
	select {
	case b.poked <- struct{}{}:
	default:
	}
}

// mayClaim records that items may be assigned to this worker.
func (b *board) mayClaim() {
	b.below, b.skipped = anything, false
	b.claimGen++
}

// recordEmpty records that there is nothing to claim at a priority and above, unless new work
// was announced after the fetch began.
func (b *board) recordEmpty(least int, f *fetch) {
	if b.claimGen == f.claimGen {
		b.below = min(b.below, least)
		b.skipped = b.skipped || len(f.full) > 0
	}
}

// stepFor returns the step that an item of a priority counts for; nil if no step runs such
// items.
func (b *board) stepFor(priority int) *step {
	for _, s := range b.sessions {
		if st := s.stepFor(priority); st != nil {
			return st
		}
	}
	return nil
}

// bands returns the open priorities, the most urgent first.
func (b *board) bands() []workqueue.Band {
	var all []workqueue.Band
	for _, s := range b.sessions {
		all = append(all, s.bands()...)
	}
	joined := workqueue.JoinBands(all)
	slices.Reverse(joined)
	return joined
}

// expectedStarts returns how many items will probably start within t.
func (b *board) expectedStarts(t time.Duration, now time.Time) int {
	if b.slots.free == b.slots.capacity {
		now = b.pace.last // nothing runs because there were no items
	}
	return b.pace.expectedEnds(t, now)
}

// fast reports whether items are so short that several of them end during one claim.
func (b *board) fast(now time.Time) bool {
	return b.expectedStarts(min(aheadTrips*max(b.roundTrip, leastTrip), claimAhead), now) > b.capacity()
}

// slow reports whether slots become free rarely.
func (b *board) slow(now time.Time) bool { return b.expectedStarts(claimAhead, now) <= b.capacity() }

// patience returns how long a claimed item waits for its slot.
func (b *board) patience() time.Duration {
	return min(max(waitTrips*b.roundTrip, waitAtLeast), waitAtMost)
}

// awaitQuiet returns a channel that is closed when the outcomes of all claimed items are
// written.
func (b *board) awaitQuiet() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.quiet == nil {
		b.quiet = make(chan struct{})
		b.closeQuiet()
	}
	return b.quiet
}

// closeQuiet closes quiet once, if nothing is claimed. Only a draining worker waits for it,
// and a draining worker claims nothing afterwards.
func (b *board) closeQuiet() {
	if b.quiet == nil || b.items > 0 || b.claiming || b.reading > 0 {
		return
	}
	select {
	case <-b.quiet:
	default:
		close(b.quiet)
	}
}

// itemsIn returns how many items of the latest size fit into a number of slots.
func (b *board) itemsIn(slots int) int { return max(int(float64(slots)/b.cost), 1) }

// capacity returns how many items run at a time.
func (b *board) capacity() int { return b.itemsIn(b.slots.capacity) }

func (b *board) woken() bool {
	return slices.ContainsFunc(b.sessions, func(s *Session) bool { return s.woken })
}

// passesOf returns the passes to repeat for a session, limited to those priorities of the
// spans that the session has open.
func (b *board) passesOf(s *Session, spans []workqueue.Band) []assign.AssignParams {
	var list []assign.AssignParams
	for _, open := range clip(spans, s.bands()...) {
		passes := s.passes
		if len(passes) == 0 && s.refills() {
			if p, ok := b.r.passFor(open); ok {
				passes = []assign.AssignParams{p}
			}
		}
		for _, p := range passes {
			if part := clip([]workqueue.Band{p.Band}, open); len(part) > 0 {
				p.Band = part[0]
				list = append(list, p)
			}
		}
	}
	return list
}

// waiting reports whether a session has running items or waits for a slot.
func (b *board) waiting(s *Session) bool {
	for _, st := range s.steps {
		if st.waits() && (st.items > 0 || b.below > st.band.Min || s.mayFind(st.band.Min)) {
			return true
		}
	}
	return false
}

// canPass reports whether there are passes to repeat for a step: the step refills, or its
// session is woken for new work.
func (b *board) canPass(st *step) bool {
	return (st.refill || st.session.o.Wakes) && len(b.passesOf(st.session, []workqueue.Band{st.band})) > 0
}
