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

	// claimAhead is how long after its claim an item may begin without another check, and
	// so how much work is claimed beyond the free slots at most: little enough that other
	// workers can still have the rest.
	claimAhead = 250 * time.Millisecond

	// lineAhead is how much work a claim ahead brings: enough that claims cost little. If
	// aheadTrips round trips are longer, it is that, but at most half of claimAhead.
	lineAhead = 80 * time.Millisecond

	// A worker claims ahead only while more items than it has slots begin within
	// aheadTrips of its present round trips, counted as leastTrip at least. Otherwise more
	// urgent items that arrive would find others in line before them.
	aheadTrips = 4
	leastTrip  = 2500 * time.Microsecond

	// claimBytes bounds the payloads and pipelines of the items that one claim brings
	// beyond the free slots.
	claimBytes = 32 << 20

	// waitMost bounds the claimed items that wait for their channels. They do not block
	// other items, but cannot go to another worker meanwhile.
	waitMost = 50

	// leastPause and mostPause bound the wait after a failed claim or pass.
	leastPause, mostPause = 100 * time.Millisecond, 5 * time.Second

	// releaseEvery is how often, at most, a worker without a free slot releases what is
	// assigned to it.
	releaseEvery = 100 * time.Millisecond
)

// errSilent says that a worker claims nothing because it cannot renew leases.
var errSilent = errors.New("no items are claimed while heartbeats cannot be written")

// claimPlanner decides what to claim, and which passes to repeat. board.mu guards it.
type claimPlanner struct {
	*board

	oneByOne bool // some channel has a maximum: a claim of several items might exceed it

	lastClaim   time.Time // when the latest claim began
	releaseFrom time.Time // unplaced items are not released before

	retry  time.Time // nothing is claimed before: the last try failed
	pause  time.Duration
	beaten time.Time // when the latest recorded heartbeat began
}

func newClaimPlanner(b *board) *claimPlanner {
	cp := &claimPlanner{board: b}
	for _, c := range b.r.o.Spec.Channels {
		cp.oneByOne = cp.oneByOne || c.Max > 0
	}
	return cp
}

// fetch is one claim of what is assigned to this worker, or the passes of one session,
// which may claim what they assign to it.
type fetch struct {
	// band and most bound what is claimed; begin of these items have a free slot.
	band  workqueue.Band
	most  int
	begin int
	full  []string // channels that have no room

	claimNews, passNews int // those of the board and of the session when it was planned

	release    bool                  // release what is assigned to this worker, instead of a claim
	session    *Session              // nil: a claim
	passes     []assign.AssignParams // to make
	claims     bool                  // the passes claim
	fast       bool                  // items are short: several run while a claim is on its way
	ahead      bool                  // the passes claim for slots that are not free yet
	selfAssign bool                  // the passes may consider this worker alone
}

// recordBeat records that a heartbeat that began at a time was written.
func (cp *claimPlanner) recordBeat(at time.Time) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.beaten = at
	cp.poke()
}

// cannotBeat reports whether no heartbeat was written for so long that an item claimed now
// might lose its lease before it ends.
func (cp *claimPlanner) cannotBeat(now time.Time) bool {
	o := &cp.r.o
	return now.Sub(cp.beaten) > min(2*o.Heartbeat+o.Heartbeat/2, o.Spec.Lease*3/4)
}

// recordFailure records that a claim or a pass failed. Steps without running items end with
// the error; for the others it is retried after a pause.
func (cp *claimPlanner) recordFailure(err error, now time.Time) {
	cp.pause = min(max(2*cp.pause, leastPause), mostPause)
	cp.retry = now.Add(cp.pause)
	for _, s := range cp.sessions {
		for _, st := range s.steps {
			if st.waits() && st.trouble == nil && !errors.Is(err, workqueue.ErrDraining) {
				st.trouble = err
			}
		}
	}
}

// recordSuccess records that a claim or a pass succeeded.
func (cp *claimPlanner) recordSuccess() {
	cp.retry, cp.pause = time.Time{}, 0
	for _, s := range cp.sessions {
		for _, st := range s.steps {
			st.trouble = nil
		}
	}
}

// plan returns what to fetch; nil if there is nothing to fetch now.
func (cp *claimPlanner) plan(now time.Time) *fetch {
	if cp.claiming || cp.r.drains() || now.Before(cp.retry) {
		return nil
	}
	if len(cp.bands()) == 0 {
		return nil
	}
	if cp.cannotBeat(now) {
		cp.recordFailure(errSilent, now)
		return nil
	}
	f := cp.planFetch(now)
	if f == nil && cp.reserve != nil && cp.slots.room(cp.reserve.need) {
		cp.reserve = nil // the item that waited for the slots is gone
		f = cp.planFetch(now)
	}
	return f
}

// planFetch is plan for a worker with open priorities.
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
	if s := cp.sessionThatWants(spans, now, true); s != nil {
		return cp.planPasses(f, s, spans)
	}
	if claim := cp.planClaim(f, spans, now); claim != nil {
		return claim
	}
	if s := cp.sessionThatWants(spans, now, false); s != nil {
		return cp.planPasses(f, s, spans)
	}
	return nil
}

// room returns how much can be claimed now, and of which priorities; false if nothing can.
func (cp *claimPlanner) room(now time.Time) (*fetch, bool) {
	// At most four times as many as last time: after short items, long ones may follow.
	work := min(max(aheadTrips*cp.trip, lineAhead), claimAhead/2)
	ahead := min(cp.within(work, now), 4*max(cp.fetched, cp.capacity()), claimLimit)
	f := &fetch{band: workqueue.EveryPriority, fast: cp.fast(now)}
	least := f.band.Min
	head := cp.line.head(&cp.slots)
	if head != nil {
		least = cp.slots.passes(head.need)
	} else if cp.reserve != nil {
		switch {
		case cp.slots.hopeless(cp.reserve.need):
			cp.reserve = nil
		case cp.slots.room(cp.reserve.need):
			least = cp.reserve.priority // less urgent items come after it
		default:
			least = cp.slots.passes(cp.reserve.need)
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
	if cp.oneByOne {
		f.most = 1
	}
	f.begin = min(f.begin, f.most, claimLimit)
	f.most = min(f.most, claimLimit, max(f.begin, claimBytes/max(cp.bytes, 1)))
	f.full = cp.slots.fullChannels()
	return f, true
}

// expectAssigned makes the worker look for assigned items now and then: while it claims by
// its own passes, it does not hear of the passes of others.
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
			f.band, f.claimNews = span, cp.news
			return f
		}
	}
	return nil
}

// sessionThatWants returns the session whose passes may find the most urgent work. With
// woken, it considers only sessions with new work, for which other workers may have a free
// slot too.
func (cp *claimPlanner) sessionThatWants(spans []workqueue.Band, now time.Time, woken bool) *Session {
	var first *Session
	best := 0
	for _, s := range cp.sessions {
		if woken && (!s.woken || s.left) {
			continue
		}
		for _, p := range cp.passesOf(s, spans) {
			ready := s.wants(p.Band.Min) && (!s.gated(p.Band.Min, now) || s.maySelfAssign(p.Band.Min, now))
			if ready && (first == nil || p.Band.Max > best) {
				first, best = s, p.Band.Max
			}
		}
	}
	return first
}

// planPasses returns the fetch that repeats a session's passes. They claim unless an item
// that was assigned earlier may be more urgent than what they assign.
func (cp *claimPlanner) planPasses(f *fetch, s *Session, spans []workqueue.Band) *fetch {
	f.session, f.passes = s, cp.passesOf(s, spans)
	f.band = workqueue.Band{Min: spans[len(spans)-1].Min, Max: spans[0].Max}
	f.claims = f.band.Min >= cp.below && len(spans) == 1
	f.ahead = f.ahead || s.left && f.fast
	f.selfAssign = f.ahead || s.left
	if bands := s.bands(); f.band.Min <= workqueue.JoinBands(bands)[0].Min { // else what was announced may be less urgent
		s.woken = false
	}
	s.unseen = false
	f.claimNews, f.passNews = cp.news, s.news
	return f
}

// planSweep repeats a session's passes although no slot is free: for other workers, and to
// free abandoned items and cancel expired ones.
func (cp *claimPlanner) planSweep(spans []workqueue.Band, now time.Time) *fetch {
	for _, s := range cp.sessions {
		if !s.swept && !now.Before(s.gate) {
			s.swept = true
			if passes := cp.passesOf(s, spans); len(passes) > 0 {
				return &fetch{session: s, passes: passes, claimNews: cp.news, passNews: s.news}
			}
		}
	}
	return nil
}

// planRelease returns the release of items that other workers' passes assigned to this
// worker for slots that are no longer free: the first slot that becomes free, here or
// elsewhere, is for the most urgent item. It is nil if there can be no such items, or if
// passes assign items in advance.
func (cp *claimPlanner) planRelease(now time.Time) *fetch {
	if !cp.unplaced || cp.slots.free > 0 || !cp.slow(now) || now.Before(cp.releaseFrom) || !cp.fillsSlots() {
		return nil
	}
	cp.unplaced, cp.releaseFrom = false, now.Add(releaseEvery)
	return &fetch{release: true, claimNews: cp.news}
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

// clip returns the parts of the spans that lie in one of the bands, the most urgent
// first.
func clip(spans []workqueue.Band, bands ...workqueue.Band) []workqueue.Band {
	var list []workqueue.Band
	for _, span := range spans {
		for _, b := range bands {
			if both := span.Intersect(b); !both.Empty() && both != (workqueue.Band{}) { // which would mean all
				list = append(list, both)
			}
		}
	}
	list = workqueue.JoinBands(list)
	slices.Reverse(list)
	return list
}
