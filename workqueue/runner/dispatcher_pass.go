package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
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
			if f.own {
				own, done, err := d.ownPass(ctx, s, p, got.since)
				if errors.Is(err, assign.ErrOthersPassed) {
					return got, nil
				}
				if err != nil {
					return gained{}, err
				}
				if own.Len() > 0 {
					got.taken = own
					d.passed(f, own.Len(), true, true)
					return got, nil
				}
				if done && d.ownFoundNothing(f, p.Band.Min, got.since) {
					return got, nil
				}
			}
		}
		p.Brief = s.beginBrief(f, got.since)
		result, own, err := d.r.passAhead(ctx, p)
		if err != nil {
			return gained{}, err
		}
		if p.Take != nil {
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
	bands := f.session.bands()
	all := len(bands) == 0 || least <= workqueue.JoinBands(bands)[0].Min
	f.session.passed(least, f.passNews, assigned, left, all, f.take, time.Now())
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
	sweep := !s.swept || f.ahead && now.Sub(s.fullPass) >= assign.RefillEvery
	s.swept = true
	if sweep {
		s.fullPass = now
	}
	return !sweep
}

// ownPass makes a pass for this worker alone; false: that is for a pass which knows
// all workers.
func (d *dispatcher) ownPass(ctx context.Context, s *Session, p assign.AssignParams, now time.Time) (workqueue.Taken, bool, error) {
	if s.own == nil || !s.own.MayAssign(p.Take.Ahead, p.Band.Min, now) {
		return workqueue.Taken{}, false, nil
	}
	taken, done, err := d.r.ownPass(ctx, p, s.own)
	if errors.Is(err, assign.ErrOthersPassed) {
		d.mu.Lock()
		d.mayClaim()
		d.mu.Unlock()
	}
	if err != nil {
		return workqueue.Taken{}, false, err
	}
	if !done {
		s.own, s.ownAgain = nil, now.Add(assign.ClaimEvery)
	}
	return taken, done, nil
}

// ownFoundNothing notes that there is nothing that this worker may have, and reports whether
// that has to do for now: it is too soon for a pass that knows all workers.
func (d *dispatcher) ownFoundNothing(f *fetch, least int, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.session.ownNews, f.session.ownLeast = f.passNews, least
	return f.session.gated(least, now)
}

// keepOwn keeps what the next passes for this worker alone may count on.
func (d *dispatcher) keepOwn(s *Session, own *assign.SelfAssign, now time.Time) {
	if s.own = own; now.Before(s.ownAgain) {
		s.own = nil
	}
}

// taking has a pass claim up to so many items for this worker.
func (d *dispatcher) taking(f *fetch) *workqueue.Taking {
	return &workqueue.Taking{
		WorkerID: d.r.worker.ID, InstanceID: d.r.worker.InstanceID, Lease: d.r.o.Spec.Lease,
		Band: f.band, Max: f.most, Begin: f.begin, Work: claimAhead * time.Duration(d.r.o.Spec.Capacity), Ahead: f.ahead, Within: d.r.statementTime(),
	}
}
