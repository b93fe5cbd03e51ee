package runner

import (
	"context"
	"errors"
	"time"

	"botwork/internal/tracing"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// claimer makes the claims and the passes that the claimPlanner returns.
type claimer struct{ *board }

// claimBatch is what one fetch claimed.
type claimBatch struct {
	workqueue.Claimed
	since     time.Time // when the claim began
	confirmed time.Time // when its answer arrived
}

// claim claims items that are assigned to this worker. It is never cancelled: if the answer
// were lost, the claimed items would stay blocked until their leases end.
func (cl *claimer) claim(f *fetch) (claimBatch, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cl.r.runs), cl.r.statementTime())
	defer cancel()
	ctx, span := tracing.Root(ctx, "claim")
	defer span.End()
	got := claimBatch{since: time.Now()}
	items, err := cl.r.o.Store.Claim(ctx, workqueue.ClaimParams{
		WorkerID: cl.r.worker.ID, InstanceID: cl.r.worker.InstanceID,
		Band: f.band, Max: f.most, Lease: cl.r.o.Spec.Lease,
		Begin: f.begin, Work: claimAhead * time.Duration(f.slots), Bytes: claimBytes, FullChannels: f.full,
	})
	span.Int("botwork.claimed", int64(len(items)))
	if err != nil {
		span.Fail("error")
		return claimBatch{}, err
	}
	cl.r.observeClaim(len(items))
	if len(items) < max(f.begin, 1) {
		cl.mu.Lock()
		cl.recordEmpty(f.band.Min, f)
		cl.mu.Unlock()
	}
	got.Claimed = workqueue.ClaimedItems(items)
	return got, nil
}

// read reads items that a pass claimed without reading them. Items that cannot be read stay
// claimed until their leases end; the next claim shows whether the database still fails.
func (cl *claimer) read(ctx context.Context, got claimBatch) []workqueue.Item {
	if got.Len() == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), cl.r.statementTime())
	defer cancel()
	items, err := got.Items(bounded)
	if err != nil {
		cl.r.o.Log.Warn().Err(err).Int("items", got.Len()).Msg("could not read claimed items; they are released when their leases expire")
	}
	return items
}

// pass repeats passes of a session. The first one may also claim the items that it assigns to
// this worker, which saves a commit before the items start.
func (cl *claimer) pass(ctx context.Context, f *fetch) (claimBatch, error) {
	s := f.session
	got := claimBatch{since: time.Now()}
	assigned, left, emptied, claimed := 0, false, false, false
	for _, p := range f.passes {
		if f.claims && !claimed {
			claimed = true
			p.Claim = cl.passClaim(f)
			if f.selfAssign {
				assignedHere, done, err := cl.selfAssign(ctx, s, p, got.since)
				if errors.Is(err, assign.ErrConcurrentPass) {
					return got, nil
				}
				if err != nil {
					return claimBatch{}, err
				}
				if assignedHere.Len() > 0 {
					got.Claimed = assignedHere
					cl.recordPasses(f, assignedHere.Len(), true, true)
					return got, nil
				}
				if done && cl.selfAssignFoundNothing(f, p.Band.Min, got.since) {
					return got, nil
				}
			}
		}
		p.Brief = s.beginBrief(f, got.since)
		result, reusable, err := cl.r.passAhead(ctx, p)
		if err != nil {
			return claimBatch{}, err
		}
		if p.Claim != nil {
			cl.setSelfAssign(s, reusable, got.since)
		}
		if p.Claim != nil {
			got.Claimed, emptied = workqueue.ClaimedItems(result.Claimed), result.Emptied
		}
		assigned, left = assigned+result.Assigned, left || result.Left
	}
	cl.recordPasses(f, assigned, left, emptied)
	return got, nil
}

// recordPasses records the result of the passes of a fetch. emptied means that nothing is assigned
// to this worker except what they have claimed.
func (cl *claimer) recordPasses(f *fetch, assigned int, left, emptied bool) {
	least := f.passes[0].Band.Min
	for _, p := range f.passes {
		least = min(least, p.Band.Min)
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	bands := f.session.bands()
	all := len(bands) == 0 || least <= workqueue.JoinBands(bands)[0].Min
	f.session.recordPasses(passResult{
		least: least, passGen: f.passGen, assigned: assigned, left: left, all: all, free: f.claims, early: f.early,
	}, time.Now())
	if emptied {
		cl.recordEmpty(least, f)
	} else {
		cl.mayClaim()
	}
}

// selfAssign makes a pass for this worker alone. It returns false if a pass over all workers
// is needed.
func (cl *claimer) selfAssign(ctx context.Context, s *Session, p assign.AssignParams, now time.Time) (workqueue.Claimed, bool, error) {
	if s.selfAssigned == nil || !s.selfAssigned.MayAssign(p.Claim.Ahead, p.Band.Min, now) {
		return workqueue.Claimed{}, false, nil
	}
	claimed, done, err := cl.r.selfAssign(ctx, p, s.selfAssigned)
	if errors.Is(err, assign.ErrConcurrentPass) {
		cl.mu.Lock()
		cl.mayClaim()
		cl.mu.Unlock()
	}
	if err != nil {
		return workqueue.Claimed{}, false, err
	}
	if !done {
		s.selfAssigned, s.selfAssignFrom = nil, now.Add(assign.ClaimEvery)
	}
	return claimed, done, nil
}

// selfAssignFoundNothing records that a pass for this worker alone found nothing, and reports
// whether it is too soon for a pass over all workers.
func (cl *claimer) selfAssignFoundNothing(f *fetch, least int, now time.Time) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	f.session.selfAssignGen, f.session.selfAssignLeast = f.passGen, least
	return f.session.gated(least, now)
}

// setSelfAssign stores the data that the next passes for this worker alone can reuse.
func (cl *claimer) setSelfAssign(s *Session, reusable *assign.SelfAssign, now time.Time) {
	if s.selfAssigned = reusable; now.Before(s.selfAssignFrom) {
		s.selfAssigned = nil
	}
}

// passClaim returns what a pass claims for this worker.
func (cl *claimer) passClaim(f *fetch) *workqueue.PassClaim {
	return &workqueue.PassClaim{
		WorkerID: cl.r.worker.ID, InstanceID: cl.r.worker.InstanceID, Lease: cl.r.o.Spec.Lease,
		Band: f.band, Max: f.most, Begin: f.begin, Work: claimAhead * time.Duration(f.slots), Ahead: f.ahead, Within: cl.r.statementTime(),
	}
}

// releaseUnplaced releases the items that are assigned to this worker and not claimed.
func (cl *claimer) releaseUnplaced(ctx context.Context, f *fetch) error {
	bounded, cancel := context.WithTimeout(ctx, cl.r.statementTime())
	defer cancel()
	n, err := cl.r.o.Store.ReleaseAssigned(bounded, cl.r.worker.ID, cl.r.worker.InstanceID)
	if err != nil {
		return err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.recordEmpty(workqueue.EveryPriority.Min, f)
	if n > 0 {
		for _, s := range cl.sessions {
			s.left, s.woken = true, true
			s.raise()
		}
	}
	return nil
}
