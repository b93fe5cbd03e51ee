package runner

import (
	"errors"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

const (
	// claimLimit bounds the items of one claim.
	claimLimit = 500

	// claimAhead is how long after its claim an item may start without another check. It
	// therefore also limits the work that is claimed beyond the free slots, so that other
	// workers can still get the rest.
	claimAhead = 250 * time.Millisecond

	// lineAhead is how much work is claimed ahead at a time: enough that claims cost little.
	// If aheadTrips round trips take longer, they are used instead, but at most half of
	// claimAhead.
	lineAhead = 80 * time.Millisecond

	// A worker claims ahead only while more items than it has slots start within
	// aheadTrips of its current round trips, of at least leastTrip each. Otherwise new,
	// more urgent items would wait behind those already in line.
	aheadTrips = 4
	leastTrip  = 2500 * time.Microsecond

	// claimBytes bounds the size of the payloads and pipelines that one claim reads for
	// items beyond the free slots.
	claimBytes = 32 << 20

	// waitMost bounds the claimed items that wait for their channels. They do not block
	// other items here, but no other worker can run them in the meantime.
	waitMost = 50

	// leastPause and mostPause bound the wait after a failed claim or pass.
	leastPause, mostPause = 100 * time.Millisecond, 5 * time.Second

	// releaseEvery is how often, at most, a worker without a free slot releases what is
	// assigned to it.
	releaseEvery = 100 * time.Millisecond
)

// errNoHeartbeat is why a worker claims nothing: it cannot renew leases.
var errNoHeartbeat = errors.New("no items are claimed while heartbeats cannot be written")

// claimPlanner decides what to claim, and which passes to repeat. board.mu guards it.
type claimPlanner struct {
	*board

	lastClaim   time.Time // when the latest claim began
	releaseFrom time.Time // unplaced items are not released before this time

	retry    time.Time // nothing is claimed before this time: the last try failed
	pause    time.Duration
	lastBeat time.Time // when the latest recorded heartbeat began
}

func newClaimPlanner(b *board) *claimPlanner {
	return &claimPlanner{board: b}
}

// fetch is one claim of items assigned to this worker, or the passes of one session, which
// may claim the items that they assign to it.
type fetch struct {
	// band and most bound what is claimed; begin of these items have a free slot.
	band  workqueue.Band
	most  int
	begin int
	slots int      // of this worker
	full  []string // channels that have no room

	claimGen, passGen int // those of the board and of the session when it was planned

	release    bool                  // release what is assigned to this worker, instead of a claim
	session    *Session              // nil: a claim
	passes     []assign.AssignParams // to make
	claims     bool                  // the passes claim
	fast       bool                  // items are short: several of them end during one claim
	ahead      bool                  // the passes claim for slots that are not free yet
	selfAssign bool                  // the passes may consider this worker alone
	early      bool                  // results of ended items were not written when it was planned
}

// recordBeat records that a heartbeat that began at a time was written.
func (cp *claimPlanner) recordBeat(at time.Time) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.lastBeat = at
	cp.poke()
}

// cannotBeat reports whether no heartbeat was written for so long that an item claimed now
// might lose its lease before it ends.
func (cp *claimPlanner) cannotBeat(now time.Time) bool {
	o := &cp.r.o
	return now.Sub(cp.lastBeat) > min(2*o.Heartbeat+o.Heartbeat/2, o.Spec.Lease*3/4)
}

// recordFailure records that a claim or a pass failed. Steps without running items end with
// the error; steps with running items try again after a pause.
func (cp *claimPlanner) recordFailure(err error, now time.Time) {
	cp.pause = min(max(2*cp.pause, leastPause), mostPause)
	cp.retry = now.Add(cp.pause)
	for _, s := range cp.sessions {
		for _, st := range s.steps {
			if st.waits() && st.lastErr == nil && !errors.Is(err, workqueue.ErrDraining) {
				st.lastErr = err
			}
		}
	}
}

// recordSuccess records that a claim or a pass succeeded.
func (cp *claimPlanner) recordSuccess() {
	cp.retry, cp.pause = time.Time{}, 0
	for _, s := range cp.sessions {
		for _, st := range s.steps {
			st.lastErr = nil
		}
	}
}

// plan returns what to fetch; nil if there is nothing to fetch now.
func (cp *claimPlanner) plan(now time.Time) *fetch {
	if cp.claiming || cp.r.closed() != nil || now.Before(cp.retry) {
		return nil
	}
	if cp.reconfigured {
		cp.reconfigured = false
		for _, s := range cp.sessions {
			s.selfAssigned = nil
		}
	}
	if len(cp.bands()) == 0 {
		return nil
	}
	if cp.cannotBeat(now) {
		cp.recordFailure(errNoHeartbeat, now)
		return nil
	}
	f := cp.planFetch(now)
	if f == nil && cp.reserve != nil && cp.slots.room(cp.reserve.need) {
		cp.reserve = nil // the item for which the slots were reserved is gone
		f = cp.planFetch(now)
	}
	return f
}

// planFetch plans the next fetch of a worker with open priorities.
func (cp *claimPlanner) planFetch(now time.Time) *fetch {
	spans := cp.bands()
	f, wanted := cp.room(now)
	if !wanted {
		if f := cp.planRelease(now); f != nil {
			return f
		}
		return cp.planSweep(spans, now)
	}
	spans = clip(spans, f.band)
	if len(spans) == 0 {
		return nil
	}
	cp.expectAssigned(f, now)
	if s := cp.sessionToPass(spans, now, true); s != nil {
		return cp.planPasses(f, s, spans)
	}
	if claim := cp.planClaim(f, spans, now); claim != nil {
		return claim
	}
	if s := cp.sessionToPass(spans, now, false); s != nil {
		return cp.planPasses(f, s, spans)
	}
	return nil
}

// room returns how many items can be claimed now, and of which priorities; false if none can.
func (cp *claimPlanner) room(now time.Time) (*fetch, bool) {
	// At most four times as many as last time: long items may follow short ones.
	work := min(max(aheadTrips*cp.roundTrip, lineAhead), claimAhead/2)
	ahead := min(cp.expectedStarts(work, now), 4*max(cp.fetched, cp.capacity()), claimLimit)
	f := &fetch{band: workqueue.EveryPriority, fast: cp.fast(now)}
	least := f.band.Min
	head := cp.line.head(&cp.slots)
	if head != nil {
		least = cp.slots.overtakePriority(head.need)
	} else if cp.reserve != nil {
		switch {
		case cp.slots.blockedByStuck(cp.reserve.need):
			cp.reserve = nil
		case cp.slots.room(cp.reserve.need):
			least = cp.reserve.priority // less urgent items come after it
		default:
			least = cp.slots.overtakePriority(cp.reserve.need)
		}
	}
	// Items that are being read will occupy slots.
	free := cp.slots.plain(least) - cp.reading
	switch {
	case head == nil && len(cp.line.items) >= waitMost:
		return nil, false // all of them wait for their channels
	case head == nil && free > 0 && least < anything:
		f.band.Min, f.begin = least, cp.itemsIn(free)
		f.most = f.begin
		if cp.reserve == nil && f.fast {
			f.most = ahead
		}
	case head == nil && cp.slots.free > cp.reading && least < anything: // reserved ones
		f.band.Min, f.begin = max(least, workqueue.HighPriority+1), cp.itemsIn(cp.slots.free-cp.reading)
		f.most = f.begin
	case cp.reserve == nil && f.fast && len(cp.line.items)+cp.reading <= cp.fetched:
		f.most, f.ahead = ahead, true
	default:
		return nil, false
	}
	if cp.boundsChannels() {
		f.most = 1
	}
	f.slots = cp.slots.capacity
	f.begin = min(f.begin, f.most, claimLimit)
	f.most = min(f.most, claimLimit, max(f.begin, claimBytes/max(cp.bytes, 1)))
	f.full = cp.slots.fullChannels()
	return f, true
}

// expectAssigned makes the worker check for assigned items from time to time: while it claims
// in its own passes, it does not notice what the passes of other workers assign to it.
func (cp *claimPlanner) expectAssigned(f *fetch, now time.Time) {
	if f.fast && now.Sub(cp.lastClaim) >= assign.ClaimEvery {
		cp.mayClaim()
	}
}

// planClaim returns a claim of the most urgent priorities that may have items.
func (cp *claimPlanner) planClaim(f *fetch, spans []workqueue.Band, now time.Time) *fetch {
	for _, span := range spans {
		if span.Min < cp.below {
			cp.lastClaim = now
			for _, s := range cp.sessions {
				s.unseen = s.unseen && s.woken
			}
			f.band, f.claimGen = span, cp.claimGen
			return f
		}
	}
	return nil
}

// sessionToPass returns the session whose passes may find the most urgent work; nil if there
// is none. If woken is set, it returns only a session with new work, which other workers may
// have a free slot for too.
func (cp *claimPlanner) sessionToPass(spans []workqueue.Band, now time.Time, woken bool) *Session {
	var first *Session
	best := 0
	for _, s := range cp.sessions {
		for _, p := range cp.passesOf(s, spans) {
			ready := s.mayFind(p.Band.Min) && (!s.gated(p.Band.Min, now) || s.maySelfAssign(p.Band.Min, now))
			if ready && (first == nil || p.Band.Max > best) {
				first, best = s, p.Band.Max
			}
		}
	}
	switch {
	case first == nil || woken && (!first.woken || first.left) || cp.awaits(spans, best, now):
		return nil
	default:
		return first
	}
}

// awaits reports whether a session has left items above a priority, and will make a pass for them as soon as the
// results of items that have ended here are written. Until then no pass counts the slots of these items as free, and
// a less urgent session must not take them.
func (cp *claimPlanner) awaits(spans []workqueue.Band, priority int, now time.Time) bool {
	return cp.ending > 0 && slices.ContainsFunc(cp.sessions, func(s *Session) bool {
		return s.left && slices.ContainsFunc(cp.passesOf(s, spans), func(p assign.AssignParams) bool {
			return p.Band.Max > priority && !s.mayFind(p.Band.Min) && !s.gated(p.Band.Min, now)
		})
	})
}

// planPasses returns the fetch that repeats a session's passes. They claim items, unless an
// item that was assigned earlier may be more urgent than those.
func (cp *claimPlanner) planPasses(f *fetch, s *Session, spans []workqueue.Band) *fetch {
	f.session, f.passes = s, cp.passesOf(s, spans)
	f.band = workqueue.Band{Min: spans[len(spans)-1].Min, Max: spans[0].Max}
	f.claims = f.band.Min >= cp.below && len(spans) == 1
	f.ahead = f.ahead || s.left && f.fast
	f.selfAssign = f.ahead || s.left
	if bands := s.bands(); f.band.Min <= workqueue.JoinBands(bands)[0].Min { // else the announced work may be less urgent
		s.woken = false
	}
	s.unseen = false
	f.claimGen, f.passGen, f.early = cp.claimGen, s.passGen, cp.ending > 0
	return f
}

// planSweep returns a fetch that repeats a session's passes although no slot is free: to
// assign items to other workers, to free abandoned items and to cancel expired ones.
func (cp *claimPlanner) planSweep(spans []workqueue.Band, now time.Time) *fetch {
	for _, s := range cp.sessions {
		if !s.swept && !now.Before(s.gate) {
			s.swept = true
			if passes := cp.passesOf(s, spans); len(passes) > 0 {
				return &fetch{session: s, passes: passes, claimGen: cp.claimGen, passGen: s.passGen}
			}
		}
	}
	return nil
}

// planRelease returns a fetch that releases items which other workers' passes assigned to
// this worker for slots that are no longer free: the next slot that becomes free, on any
// worker, is for the most urgent item. It returns nil if there can be no such items, or if
// passes assign items in advance.
func (cp *claimPlanner) planRelease(now time.Time) *fetch {
	if !cp.unplaced || cp.slots.free > 0 || !cp.slow(now) || now.Before(cp.releaseFrom) || !cp.fillsSlots() {
		return nil
	}
	cp.unplaced, cp.releaseFrom = false, now.Add(releaseEvery)
	return &fetch{release: true, claimGen: cp.claimGen}
}

// fillsSlots reports whether all known passes assign items to free slots only.
func (cp *claimPlanner) fillsSlots() bool {
	known := false
	for _, s := range cp.sessions {
		for i := range s.passes {
			if known = true; !s.passes[i].FreeSlots {
				return false
			}
		}
	}
	return known
}

// clip returns the parts of the spans that are in one of the bands, the most urgent first.
func clip(spans []workqueue.Band, bands ...workqueue.Band) []workqueue.Band {
	var list []workqueue.Band
	for _, span := range spans {
		for _, b := range bands {
			if both := span.Intersect(b); !both.Empty() && both != (workqueue.Band{}) { // the zero Band would mean all priorities
				list = append(list, both)
			}
		}
	}
	list = workqueue.JoinBands(list)
	slices.Reverse(list)
	return list
}
