package assign

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// ClaimEvery is how often a worker that claims by its own passes looks for items that others
	// have assigned to it.
	ClaimEvery = time.Second

	// RefillEvery is how often a busy session looks for more work without being woken.
	RefillEvery = 15 * time.Second
)

// SelfAssign is what a worker reuses from its last pass, so that for a moment it need not read
// which workers exist and what they hold. Otherwise each of many busy workers would read that for
// each of its batches, and then find that another one came first. For its free slots it claims
// the most urgent items; beyond them, only items that no other worker could start now.
type SelfAssign struct {
	load   workqueue.WorkerLoad // the worker itself, without its items
	queues map[string]workqueue.JSONText
	alone  bool // no other worker is alive
	busy   int  // no other worker could start an item of this priority or below now; math.MinInt: some could
	since  time.Time

	passes int64 // of all workers, when the worker last claimed what others had assigned to it
}

// MayAssign reports whether the worker may assign items to itself: for its free slots until the
// next pass over all workers, and beyond them while the others are probably still as busy.
func (sa *SelfAssign) MayAssign(ahead bool, least int, now time.Time) bool {
	if ahead || sa.alone {
		return now.Sub(sa.since) < ClaimEvery && sa.busy >= least
	}
	return now.Sub(sa.since) < RefillEvery
}

// ErrConcurrentPass is returned by SelfAssign.Assign if other workers have made passes, which may
// have assigned more urgent items to this worker.
var ErrConcurrentPass = errors.New("others have made passes")

// selfAssign returns what later passes of the claiming worker can reuse; nil if the assignment depends
// on what the other workers hold.
func (pl *passPlanner) selfAssign(plan *passPlan) *SelfAssign {
	t := pl.p.Claim
	if t == nil || len(plan.turns) > 0 || !t.Ahead && (!pl.p.FreeSlots || pl.p.Workers != AvailableWorkers) {
		return nil
	}
	var sa *SelfAssign
	busy := math.MaxInt
	for i := range pl.Loads {
		l := &pl.Loads[i]
		if l.WorkerID != t.WorkerID {
			least, ok := pl.busyFor(l, plan.assignments)
			if !ok {
				least = math.MinInt
			}
			busy = min(busy, least)
			continue
		}
		if l.Channels != "" {
			return nil
		}
		sa = &SelfAssign{load: *l, queues: pl.Distributions, alone: len(pl.Loads) == 1, since: time.Now()}
		sa.load.Held = nil
	}
	if pl.p.FreeSlots {
		busy = math.MaxInt // a worker with a free slot claims for itself
	}
	if sa != nil {
		sa.busy, sa.passes = busy, plan.marks.Passes
	}
	return sa
}

// busyFor returns the highest priority of which the worker could not start an item now: with
// IdleWorkers any if it holds an item, else that of the item in its last
// slot, or in the last one that is not reserved. false if it could start any item.
func (pl *passPlanner) busyFor(l *workqueue.WorkerLoad, assignments []workqueue.Assignment) (priority int, ok bool) {
	held := slices.Clone(l.Held)
	for i := range assignments {
		if a := &assignments[i]; a.WorkerID == l.WorkerID {
			held = append(held, workqueue.HeldWork{Priority: a.Priority, Count: 1})
		}
	}
	if pl.p.Workers == IdleWorkers {
		return math.MaxInt, len(held) > 0
	}
	slots, reserved := l.Capacity, l.Reserved
	for i := range held {
		if held[i].Running { // no item starts before it ends, however urgent
			held[i].Priority = math.MaxInt
		}
	}
	slices.SortStableFunc(held, func(a, b workqueue.HeldWork) int { return cmp.Compare(b.Priority, a.Priority) })
	for i := range held {
		slots -= held[i].Count
		if slots <= 0 {
			return max(priority, held[i].Priority), true
		}
		if slots <= reserved && !ok {
			priority, ok = min(held[i].Priority, workqueue.HighPriority), true
		}
	}
	return priority, ok
}

// Assign makes a pass for this worker alone. done is false if that is not possible: items of
// queues with limits are due, workers take turns, or a due item is more urgent than all items of
// another worker. The error is ErrConcurrentPass if a claim must come first; later calls assume
// that it was made.
func (sa *SelfAssign) Assign(ctx context.Context, store workqueue.AssignStore, p AssignParams) (claimed workqueue.Claimed, done bool, err error) {
	if err := p.Validate(); err != nil {
		return claimed, false, err
	}
	p = p.WithDefaults()
	p.MaxPerWorker = min(p.MaxPerWorker, p.Claim.Max)
	if sa.alone {
		var plan *passPlan
		err := store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
			plan, err = sa.plan(ctx, view, p)
			return err
		})
		if err != nil || plan == nil || len(plan.assignments) == 0 {
			return claimed, plan != nil, err
		}
		var result AssignResult
		return plan.write(ctx, store, p.Claim, &result)
	}
	// Under the lock others wait for their turn; without it they would plan the same items. The
	// pass is not counted: a plan that another worker made meanwhile finds the claimed items in
	// another state.
	writing, cancel, err := p.Claim.WriteContext(ctx)
	if err != nil {
		return claimed, false, err
	}
	defer cancel()
	err = store.Assign(writing, func(ctx context.Context, tx workqueue.AssignTx) error {
		claimed, done = workqueue.Claimed{}, false
		plan, err := sa.plan(ctx, tx, p)
		if err != nil || plan == nil {
			return err
		}
		done = true
		if len(plan.assignments) > 0 {
			var items []workqueue.Item
			items, err = tx.AssignAndClaim(ctx, plan.assignments, *p.Claim)
			claimed = workqueue.ClaimedItems(items)
		}
		return err
	})
	if err != nil {
		return workqueue.Claimed{}, false, err
	}
	return claimed, done, nil
}

// plan returns what the worker claims; nil if it cannot decide alone.
func (sa *SelfAssign) plan(ctx context.Context, view workqueue.AssignView, p AssignParams) (*passPlan, error) {
	marks, err := view.PassState(ctx)
	if err != nil {
		return nil, err
	}
	if !sa.alone && marks.Passes != sa.passes {
		sa.passes = marks.Passes
		return nil, ErrConcurrentPass
	}
	pl := p.plannerOf(workqueue.PassInput{PassState: marks, Loads: []workqueue.WorkerLoad{sa.load}, Distributions: sa.queues})
	if limited, err := pl.window(ctx, view); limited || err != nil {
		return nil, err
	}
	placements, turns := pl.plan()
	if len(turns) > 0 || pl.byHand || pl.classes.fillSlots { // what it holds is unknown here
		return nil, nil
	}
	plan := &passPlan{marks: marks, assignments: assignmentsOf(placements)}
	for i := range plan.assignments {
		if p.Claim.Ahead && plan.assignments[i].Priority > sa.busy { // another worker may be able to start it
			return nil, nil
		}
	}
	return plan, nil
}
