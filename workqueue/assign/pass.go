package assign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// AssignResult is what a pass did.
type AssignResult struct {
	workqueue.RescueResult

	// Expired counts the items that were cancelled because they had not started in time.
	Expired int `json:"expired"`

	// Refused counts the items that were inserted by hand and cancelled, because their queues
	// refuse them.
	Refused int `json:"refused,omitempty"`

	// Workers counts the workers that could take items of every priority of the
	// band when the pass began.
	Workers int `json:"workers"`

	// Assigned counts the items that were assigned to a worker, Moved those that
	// were taken from another one, which had not started them.
	Assigned int `json:"assigned"`
	Moved    int `json:"moved"`

	// Claimed are those of Assigned that are already claimed, in the order of LeaseStore.Claim.
	Claimed []workqueue.Item `json:"-"`

	// Emptied reports that the claiming worker has nothing else to claim.
	Emptied bool `json:"-"`

	// Faults describe what the pass could not read or score, and ignored.
	Faults []string `json:"-"`

	// Left reports that the pass did not assign all due items, or did not look for them because
	// no worker had room.
	Left bool `json:"-"`

	// Pace is how soon another pass may assign items that only wait for a rate limit; 0 if there
	// are none.
	Pace time.Duration `json:"-"`
}

const (
	// surveys is how often a pass plans without the lock before it plans under the lock.
	surveys = 3

	// leastWindow and mostWindow bound how many items a pass reads.
	leastWindow, mostWindow = 64, 1_000_000

	// pageLimit bounds how many items a pass under the lock reads at a time.
	pageLimit = 5000
)

// AssignPass frees abandoned items, cancels items that have not started in time, and then assigns
// the due items of the band to the live workers, the highest priority first, each to the worker
// that the distribution mode selects. Of queues with limits it assigns only as many as these
// allow in the whole cluster.
//
// It reads and plans without the cluster's assignment lock, and acquires the lock to write. If
// another pass has written in between, it plans again. A plan that is too late for the third
// time, or contains queues with limits, is made under the lock. When AssignPass returns, a pass
// that began after the call has been committed.
func AssignPass(ctx context.Context, store workqueue.AssignStore, p AssignParams) (AssignResult, error) {
	result, _, err := p.Pass(ctx, store)
	return result, err
}

// Pass is AssignPass. For a worker that claims by its own passes, it also returns what its next
// passes can reuse, or nil.
func (p AssignParams) Pass(ctx context.Context, store workqueue.AssignStore) (AssignResult, *SelfAssign, error) {
	if err := p.Validate(); err != nil {
		return AssignResult{}, nil, err
	}
	p = p.WithDefaults()
	var result AssignResult
	var unlearned []string
	if err := p.Learned.Refresh(ctx); err != nil { // the previous durations stay in use
		unlearned = []string{fmt.Sprintf("learned durations: %v", err)}
	}
	for range surveys {
		plan, err := p.survey(ctx, store, p.Brief)
		if err != nil {
			return result, nil, err
		}
		if plan.sweepable {
			if err := p.sweep(ctx, store, &result); err != nil {
				return result, nil, err
			}
			// Items that look abandoned again, and new rows inserted by hand, are left to the next pass.
			again := p
			again.applied = true
			if plan, err = again.survey(ctx, store, true); err != nil {
				return result, nil, err
			}
		}
		if plan.limited {
			break
		}
		result.Workers, result.Faults, result.Left = plan.workers, append(unlearned, plan.faults...), plan.left
		result.Emptied = plan.emptied
		if len(plan.assignments) == 0 {
			return result, plan.selfAssign, nil
		}
		claimed, done, err := plan.write(ctx, store, p.Claim, &result)
		if err == nil {
			result.Claimed, err = p.Claim.Read(ctx, claimed)
		}
		if done || err != nil {
			return result, plan.selfAssign, err
		}
	}
	result, err := p.locked(ctx, store, result)
	result.Faults = append(unlearned, result.Faults...)
	return result, nil, err
}

// sweep frees abandoned items and cancels expired ones in its own transaction. The next read
// finds the freed items.
func (p AssignParams) sweep(ctx context.Context, store workqueue.AssignStore, result *AssignResult) error {
	var done cleared
	err := store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		done, err = p.clear(ctx, tx)
		return err
	})
	if err == nil {
		done.addTo(result)
	}
	return err
}

// cleared is what a pass did before it assigned items.
type cleared struct {
	rescued          workqueue.RescueResult
	expired, refused int
}

func (c *cleared) addTo(result *AssignResult) {
	result.RescueResult = result.Plus(c.rescued)
	result.Expired += c.expired
	result.Refused += c.refused
}

func (p AssignParams) clear(ctx context.Context, tx workqueue.AssignTx) (c cleared, err error) {
	if c.rescued, err = tx.Rescue(ctx, p.AssignedFor); err != nil {
		return c, err
	}
	applied, err := tx.ApplyPolicies(ctx)
	if c.refused = applied.Refused; err != nil {
		return c, err
	}
	c.expired, err = tx.Expire(ctx)
	return c, err
}

// passPlan is what a pass has decided without the lock.
type passPlan struct {
	marks       workqueue.PassState
	assignments []workqueue.Assignment
	turns       map[string]int64
	workers     int
	faults      []string
	sweepable   bool // there are items to free first
	limited     bool // there are due items of queues with limits
	left        bool // not all due items were assigned, or none was read
	emptied     bool // the claiming worker has nothing else to claim
	selfAssign  *SelfAssign
}

// write writes the plan unless another pass has been written since it was made.
func (plan *passPlan) write(ctx context.Context, store workqueue.AssignStore, take *workqueue.PassClaim, result *AssignResult) (claimed workqueue.Claimed, done bool, err error) {
	ctx, cancel, err := take.WriteContext(ctx)
	if err != nil {
		return claimed, false, err
	}
	defer cancel()
	claim, others := take.Split(plan.assignments)
	if len(claim) > 0 && len(others) == 0 && len(plan.turns) == 0 {
		claimed, done, err = store.ClaimPass(ctx, plan.marks.Passes, claim, *take)
		result.Assigned = claimed.Len()
		return claimed, done, err
	}
	err = store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		done, result.Assigned, result.Moved, claimed = false, 0, 0, workqueue.Claimed{}
		now, err := tx.PassState(ctx)
		if err != nil || now.Passes != plan.marks.Passes {
			return err
		}
		done = true
		if len(claim) > 0 {
			items, err := tx.AssignAndClaim(ctx, claim, *take)
			if err != nil {
				return err
			}
			claimed, result.Assigned = workqueue.ClaimedItems(items), len(items)
		}
		return writePlan(ctx, tx, plan.marks, others, plan.turns, result)
	})
	if err != nil {
		return workqueue.Claimed{}, false, err
	}
	return claimed, done, nil
}

// writePlan writes assignments, those of waiting items first, and counts them.
func writePlan(ctx context.Context, tx workqueue.AssignTx, m workqueue.PassState, assignments []workqueue.Assignment, turns map[string]int64, result *AssignResult) error {
	moves := slices.IndexFunc(assignments, func(a workqueue.Assignment) bool { return a.From != 0 })
	if moves < 0 {
		moves = len(assignments)
	}
	assigned, err := tx.Write(ctx, assignments[:moves])
	if err != nil {
		return err
	}
	moved, err := tx.Write(ctx, assignments[moves:])
	if err != nil {
		return err
	}
	result.Assigned += assigned
	result.Moved += moved
	return tx.RecordPass(ctx, workqueue.PassState{Passes: m.Passes, Turns: turns})
}

// locked makes a whole pass under the lock, page by page. The next page does not contain what the
// previous one assigned or found beyond the queues' limits.
func (p AssignParams) locked(ctx context.Context, store workqueue.AssignStore, before AssignResult) (AssignResult, error) {
	var result AssignResult
	err := store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		result = before
		done, err := p.clear(ctx, tx)
		if err != nil {
			return err
		}
		done.addTo(&result)
		limits := &passLimits{}
		result.Left = true
		pl, err := p.planner(ctx, tx, 0)
		if err != nil {
			return err
		}
		err = pl.pages(ctx, tx, limits, &result)
		result.Workers, result.Faults, result.Pace = pl.workers, pl.classes.faults, limits.pace
		return err
	})
	return result, err
}

func (pl *passPlanner) pages(ctx context.Context, tx workqueue.AssignTx, limits *passLimits, result *AssignResult) error {
	for !pl.Done() {
		limit := min(max(pl.Room(pl.p.DefaultEstimate.Milliseconds()), 64), pageLimit)
		left := limits.full() + len(pl.classes.broken.here) // how much this page leaves out
		due, err := limits.due(ctx, tx, pl.p.Band, limit, pl.classes.broken.here)
		if err != nil || len(due) == 0 {
			result.Left = limits.full() > 0
			return err
		}
		page := pl.withoutByHand(due)
		further := map[int64]bool{}
		if len(due) >= limit {
			list, err := limits.beyond(ctx, tx, pl, page)
			if err != nil {
				return err
			}
			for i := range list {
				further[list[i].ID] = true
			}
			page = append(page, list...)
		}
		items, err := pl.items(ctx, page)
		if err != nil {
			return err
		}
		of := make(map[int64]workqueue.DueItem, len(page))
		for _, it := range page {
			of[it.ID] = it
		}
		pl.assignIf(items, further, func(it *plan.Item) bool { return limits.allow(of[it.ID]) }, func(it *plan.Item, ok bool) {
			if ok {
				limits.take(of[it.ID])
			}
		})
		before, last := result.Assigned, len(due) < limit && limits.full() == 0
		placements, turns := pl.plan()
		if len(placements) > 0 {
			if err := writePlan(ctx, tx, pl.PassState, assignmentsOf(placements), turns, result); err != nil {
				return err
			}
			pl.PassState.Passes++
		}
		if last && result.Assigned-before == len(items) && !pl.byHand {
			result.Left = false
			return nil
		}
		more := result.Assigned > before || limits.full()+len(pl.classes.broken.here) > left
		if !more || len(due) < limit {
			return nil
		}
	}
	return nil
}

// assignmentsOf returns the assignments, those of waiting items before those of moved ones.
func assignmentsOf(placements []plan.Placement) []workqueue.Assignment {
	list := make([]workqueue.Assignment, 0, len(placements))
	for _, moved := range []bool{false, true} {
		for i := range placements {
			p := &placements[i]
			if (p.From != 0) != moved {
				continue
			}
			a := workqueue.Assignment{ItemID: p.Item, WorkerID: p.Worker, From: p.From, RunOrder: p.RunOrder, Channel: p.Channel, Priority: p.Priority}
			a.StartsAt = time.UnixMilli(p.Start).UTC()
			if !p.Guessed {
				a.Estimate = time.Duration(p.Estimate) * time.Millisecond
			}
			list = append(list, a)
		}
	}
	return list
}
