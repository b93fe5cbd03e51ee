package runner

import (
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// board is what the parts of a dispatcher share: the slots, the line of claimed items, the
// open sessions, and what is known of the work that waits.
type board struct {
	r          *Runner
	poked      chan struct{} // holds a token when there is something to decide
	background sync.WaitGroup

	mu       sync.Mutex
	slots    slots
	line     line
	sessions []*Session // that have an open or waiting step
	policies queuePolicies
	pace     throughput
	trip     time.Duration // from the start of a fetch until its items are in line, exponentially weighted
	cost     float64       // of an item, in slots, exponentially weighted
	bytes    int           // of an item's payload and pipeline: the mean of the latest claims

	// below is the priority below which a claim may find something, as in passState.
	below   int
	skipped bool     // the latest claim left out full channels: their items may be found when there is room
	news    int      // how often below was raised: an earlier claim says nothing about what came since
	reserve *reserve // for a large item that was given back; nil: none

	unplaced bool // other workers may have assigned items to this worker that find no free slot

	claiming bool // a claim or a pass is under way
	reading  int  // items that are claimed and being read
	fetched  int  // items of the latest claim or pass

	items int           // claimed, and their ends are not written yet
	quiet chan struct{} // closed when nothing is claimed; nil: no one waits for that
}

func newBoard(r *Runner) *board {
	b := &board{
		r: r, poked: make(chan struct{}, 1), below: anything, cost: 1,
		slots: newSlots(r.o.Spec.Capacity, r.o.Spec.ReservedSlots),
	}
	for _, c := range r.o.Spec.Channels {
		b.cost = max(b.cost, float64(c.Cost))
	}
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
	b.news++
}

// nothingFrom records that nothing is left to claim at a priority and above, unless work
// was announced since the fetch began.
func (b *board) nothingFrom(least int, f *fetch) {
	if b.news == f.claimNews {
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

// within returns how many items are likely to begin within t.
func (b *board) within(t time.Duration, now time.Time) int {
	if b.slots.free == b.r.o.Spec.Capacity {
		now = b.pace.last // nothing runs because there are no items
	}
	return b.pace.within(t, now)
}

// fast reports whether items are so short that several run while a claim is on its way.
func (b *board) fast(now time.Time) bool {
	return b.within(min(aheadTrips*max(b.trip, leastTrip), claimAhead), now) > b.capacity()
}

// slow reports whether slots become free only now and then.
func (b *board) slow(now time.Time) bool { return b.within(claimAhead, now) <= b.capacity() }

// patience returns how long a claimed item waits for its slot.
func (b *board) patience() time.Duration {
	return min(max(waitTrips*b.trip, waitAtLeast), waitAtMost)
}

// awaitQuiet returns a channel that is closed when the ends of all claimed items are
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

// closeQuiet closes quiet once, if nothing is claimed. Only a worker that drains waits for
// it, so nothing is claimed afterwards.
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

// itemsIn returns how many items fit into so many slots, judged by the latest ones.
func (b *board) itemsIn(slots int) int { return max(int(float64(slots)/b.cost), 1) }

// capacity returns how many items run at a time.
func (b *board) capacity() int { return b.itemsIn(b.r.o.Spec.Capacity) }

func (b *board) woken() bool {
	return slices.ContainsFunc(b.sessions, func(s *Session) bool { return s.woken })
}

// passesOf returns the passes to repeat for a session, for those priorities of the spans
// that it has open.
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
		if st.waits() && (st.items > 0 || b.below > st.band.Min || s.wants(st.band.Min)) {
			return true
		}
	}
	return false
}

// canPass reports whether there are passes to repeat for a step: it refills, or its session
// is woken for new work.
func (b *board) canPass(st *step) bool {
	return (st.refill || st.session.o.Wakes) && len(b.passesOf(st.session, []workqueue.Band{st.band})) > 0
}
