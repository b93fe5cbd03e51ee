package workqueue

import (
	"context"
	"time"
)

// pass repeats passes of a session. The first may claim what it gives to this
// worker: one commit less until the item starts.
func (d *dispatcher) pass(ctx context.Context, f *fetch) (gained, error) {
	s := f.session
	got := gained{since: time.Now()}
	assigned, left, emptied, claimed := 0, false, false, false
	for _, p := range f.passes {
		if f.take && !claimed {
			claimed = true
			p.Take = d.taking(f)
			if f.ahead {
				if own, done, err := d.ownPass(ctx, s, p, got.since); err != nil || done && own.Len() > 0 {
					got.taken = own
					d.passed(f, own.Len(), own.Len() > 0, true)
					return got, err
				}
			}
		}
		p.brief = s.beginBrief(f, got.since)
		result, own, err := d.r.passAhead(ctx, p)
		if err != nil {
			return gained{}, err
		}
		if p.Take != nil && f.ahead {
			d.keepOwn(s, own, got.since)
		}
		if p.Take != nil {
			got.items, emptied = result.Taken, result.Emptied
		}
		assigned, left = assigned+result.Assigned, left || result.Left
	}
	d.passed(f, assigned, left, emptied)
	return got, nil
}

// passed notes what the passes of a fetch came to; emptied: nothing is assigned to
// this worker but what they have claimed.
func (d *dispatcher) passed(f *fetch, assigned int, left, emptied bool) {
	least := f.passes[0].Band.Min
	for _, p := range f.passes {
		least = min(least, p.Band.Min)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f.session.passed(least, f.passNews, assigned, left, time.Now())
	if emptied {
		d.nothingFrom(least, f)
	} else {
		d.mayClaim()
	}
}

// beginBrief reports whether the look for what is to be freed can be left out: a
// pass has had it a few seconds ago, and no tick asks for it.
func (s *Session) beginBrief(f *fetch, now time.Time) bool {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	sweep := !s.swept || f.ahead && now.Sub(s.fullPass) >= refillEvery
	s.swept = true
	if sweep {
		s.fullPass = now
	}
	return !sweep
}

// ownPass makes a pass for this worker alone; false: that is for a pass which knows
// all workers.
func (d *dispatcher) ownPass(ctx context.Context, s *Session, p AssignParams, now time.Time) (Taken, bool, error) {
	if s.own == nil || !now.Before(s.own.until) {
		return Taken{}, false, nil
	}
	taken, done, err := d.r.ownPass(ctx, p, s.own)
	if err != nil {
		return Taken{}, false, err
	}
	if !done {
		s.own, s.ownAgain = nil, now.Add(claimEvery)
	}
	return taken, done, nil
}

// keepOwn keeps what the next passes for this worker alone may count on.
func (d *dispatcher) keepOwn(s *Session, own *ownPass, now time.Time) {
	if s.own = own; now.Before(s.ownAgain) {
		s.own = nil
	}
}

// taking has a pass claim up to so many items for this worker.
func (d *dispatcher) taking(f *fetch) *Taking {
	return &Taking{
		WorkerID: d.r.worker.ID, InstanceID: d.r.worker.InstanceID, Lease: d.r.o.Spec.Lease,
		Band: f.band, Max: f.most, Begin: f.begin, Work: claimAhead * time.Duration(d.r.o.Spec.Capacity), Ahead: f.ahead, Within: d.r.statementTime(),
	}
}
