package runner

import (
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// fetch is one claim of what is assigned to this worker, or the passes of one
// session, which may claim what they assign to it.
type fetch struct {
	// band and most bound what is claimed; begin of it have a free slot.
	band  workqueue.Band
	most  int
	begin int
	full  []string // channels that have no room

	claimNews, passNews int // those of the dispatcher and of the session when it was planned

	release bool                  // of what is assigned to this worker, instead of a claim
	session *Session              // nil: a claim
	passes  []assign.AssignParams // to make
	take    bool                  // they claim
	fast    bool                  // items are short: several run while a claim is on its way
	ahead   bool                  // the passes claim for slots that are not free yet
	own     bool                  // they may be for this worker alone
}

// plan decides what to fetch; nil: nothing at present.
func (d *dispatcher) plan(now time.Time) *fetch {
	if d.claiming || d.r.drains() || now.Before(d.retry) {
		return nil
	}
	if len(d.bands()) == 0 {
		return nil
	}
	if d.silent(now) {
		d.failed(errSilent, now)
		return nil
	}
	f := d.planFetch(now)
	if f == nil && d.reserve != nil && d.slots.room(d.reserve.need) {
		d.reserve = nil // what waited for the slots is not to be had any more
		f = d.planFetch(now)
	}
	return f
}

// planFetch is plan when there is something to fetch for.
func (d *dispatcher) planFetch(now time.Time) *fetch {
	spans := d.bands()
	f, wanted := d.room(now)
	if !wanted {
		if f := d.planStray(now); f != nil {
			return f
		}
		return d.planSweep(spans, now)
	}
	spans = clip(spans, f.band)
	if len(spans) == 0 {
		return nil
	}
	d.unlearn(f, now)
	if s := d.sessionThatWants(spans, now, true); s != nil {
		return d.planPasses(f, s, spans)
	}
	if claim := d.planClaim(f, spans, now); claim != nil {
		return claim
	}
	if s := d.sessionThatWants(spans, now, false); s != nil {
		return d.planPasses(f, s, spans)
	}
	return nil
}

// room says what can be claimed at present: how much, and of which priorities;
// false: nothing.
func (d *dispatcher) room(now time.Time) (*fetch, bool) {
	// At most four times as many as the last time: short items may end, and long ones begin.
	work := min(max(aheadTrips*d.trip, lineAhead), claimAhead/2)
	ahead := min(d.within(work, now), 4*max(d.brought, d.capacity()), claimLimit)
	f := &fetch{band: workqueue.EveryPriority, fast: d.fast(now)}
	least := f.band.Min
	head := d.line.head(&d.slots)
	if head != nil {
		least = d.slots.passes(head.need)
	} else if d.reserve != nil {
		switch {
		case d.slots.hopeless(d.reserve.need):
			d.reserve = nil
		case d.slots.room(d.reserve.need):
			least = d.reserve.priority // its turn has come before that of less urgent ones
		default:
			least = d.slots.passes(d.reserve.need)
		}
	}
	// What is being read has its slots as good as taken.
	free := d.slots.plain(least) - d.reading
	switch {
	case head == nil && len(d.line.items) >= waitMost:
		return nil, false // all of them wait for their channels
	case head == nil && free > 0 && least < anything:
		f.band.Min, f.begin = least, d.itemsIn(free)
		f.most = f.begin
		if d.reserve == nil && f.fast {
			f.most = ahead
		}
	case head == nil && d.slots.free > d.reading && least < anything: // reserved ones
		f.band.Min, f.begin = max(least, workqueue.HighPriority+1), d.itemsIn(d.slots.free-d.reading)
		f.most = f.begin
	case d.reserve == nil && f.fast && len(d.line.items)+d.reading <= d.brought:
		f.most, f.ahead = ahead, true
	default:
		return nil, false
	}
	if d.oneByOne {
		f.most = 1
	}
	f.begin = min(f.begin, f.most, claimLimit)
	f.most = min(f.most, claimLimit, max(f.begin, claimBytes/max(d.bytes, 1)))
	f.full = d.slots.fullChannels()
	return f, true
}

// itemsIn is how many items find room in so many slots, by what they took lately.
func (d *dispatcher) itemsIn(slots int) int { return max(int(float64(slots)/d.cost), 1) }

// capacity is how many items run at a time.
func (d *dispatcher) capacity() int { return d.itemsIn(d.r.o.Spec.Capacity) }

func (d *dispatcher) woken() bool {
	return slices.ContainsFunc(d.sessions, func(s *Session) bool { return s.woken })
}

// unlearn forgets now and then that nothing is assigned: who claims by passes of its
// own is not told of the passes of others.
func (d *dispatcher) unlearn(f *fetch, now time.Time) {
	if f.fast && now.Sub(d.asked) >= assign.ClaimEvery {
		d.mayClaim()
	}
}

// planClaim is a claim of the most urgent priorities that may have something.
func (d *dispatcher) planClaim(f *fetch, spans []workqueue.Band, now time.Time) *fetch {
	for _, span := range spans {
		if span.Min < d.below {
			d.asked = now
			for _, s := range d.sessions {
				s.unseen = s.unseen && s.woken
			}
			f.band, f.claimNews = span, d.news
			return f
		}
	}
	return nil
}

// sessionThatWants is the one whose passes may find the most urgent work; with woken,
// of those for whose news other workers may have a free slot as well.
func (d *dispatcher) sessionThatWants(spans []workqueue.Band, now time.Time, woken bool) *Session {
	var first *Session
	best := 0
	for _, s := range d.sessions {
		if woken && (!s.woken || s.left) {
			continue
		}
		for _, p := range d.passesOf(s, spans) {
			ready := s.wants(p.Band.Min) && (!s.gated(p.Band.Min, now) || s.mayOwn(p.Band.Min, now))
			if ready && (first == nil || p.Band.Max > best) {
				first, best = s, p.Band.Max
			}
		}
	}
	return first
}

// passesOf are the passes to repeat for a session, for the priorities of the spans
// that it has open.
func (d *dispatcher) passesOf(s *Session, spans []workqueue.Band) []assign.AssignParams {
	var list []assign.AssignParams
	for _, open := range clip(spans, s.bands()...) {
		passes := s.passes
		if len(passes) == 0 && s.refills() {
			if p, ok := d.r.passFor(open); ok {
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

// planPasses makes the fetch that repeats a session's passes. They claim unless
// something that was assigned before may be more urgent than what they assign.
func (d *dispatcher) planPasses(f *fetch, s *Session, spans []workqueue.Band) *fetch {
	f.session, f.passes = s, d.passesOf(s, spans)
	f.band = workqueue.Band{Min: spans[len(spans)-1].Min, Max: spans[0].Max}
	f.take = f.band.Min >= d.below && len(spans) == 1
	f.ahead = f.ahead || s.left && f.fast
	f.own = f.ahead || s.left
	if bands := s.bands(); f.band.Min <= workqueue.JoinBands(bands)[0].Min { // else what was announced may be less urgent
		s.woken = false
	}
	s.unseen = false
	f.claimNews, f.passNews = d.news, s.news
	return f
}

// planSweep repeats a session's passes although no slot is free: for other workers,
// and to free and cancel what has to be.
func (d *dispatcher) planSweep(spans []workqueue.Band, now time.Time) *fetch {
	for _, s := range d.sessions {
		if !s.swept && !now.Before(s.gate) {
			s.swept = true
			if passes := d.passesOf(s, spans); len(passes) > 0 {
				return &fetch{session: s, passes: passes, claimNews: d.news, passNews: s.news}
			}
		}
	}
	return nil
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
