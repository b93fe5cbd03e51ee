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
	// ClaimEvery is how often a worker that claims by its own passes looks for what
	// others have assigned to it.
	ClaimEvery = time.Second

	// RefillEvery is how often a session that is busy looks for more work though
	// nobody tells of any.
	RefillEvery = 15 * time.Second
)

// SelfAssign is what a worker that takes knows from its last pass, so that for a moment it
// need not ask who the workers are and what they hold. Of many workers that all take, each
// would read that of all of them for each of its batches, and find that another one has
// come first. For its free slots it takes what is most urgent; beyond them it takes only
// what no other worker could start now.
type SelfAssign struct {
	load   workqueue.WorkerLoad // the worker itself, without what it holds
	queues map[string]workqueue.JSONText
	alone  bool // no other worker is alive
	busy   int  // none of the others could start an item of this priority or below now; math.MinInt: some could
	since  time.Time

	passes int64 // of all workers, when the worker last claimed what those had given it
}

// MayAssign reports whether the worker may go on by itself: for its free slots until the next
// look at everything, and beyond them as long as the others are likely to be as busy as
// they were.
func (own *SelfAssign) MayAssign(ahead bool, least int, now time.Time) bool {
	if ahead || own.alone {
		return now.Sub(own.since) < ClaimEvery && own.busy >= least
	}
	return now.Sub(own.since) < RefillEvery
}

// ErrOthersPassed is returned by SelfAssign.Assign: it says that other workers have made passes, which may have given the worker
// items that are more urgent than what it would take.
var ErrOthersPassed = errors.New("others have made passes")

// own returns what later passes of the worker that takes may count on; nil: which worker is
// given an item depends on what they hold.
func (pl *passPlanner) own(plan *passPlan) *SelfAssign {
	t := pl.p.Claim
	if t == nil || len(plan.turns) > 0 || !t.Ahead && (!pl.p.FreeSlots || pl.p.Workers != AvailableWorkers) {
		return nil
	}
	var own *SelfAssign
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
		own = &SelfAssign{load: *l, queues: pl.Distributions, alone: len(pl.Loads) == 1, since: time.Now()}
		own.load.Held = nil
	}
	if pl.p.FreeSlots {
		busy = math.MaxInt // who has a free slot takes for itself
	}
	if own != nil {
		own.busy, own.passes = busy, plan.marks.Passes
	}
	return own
}

// busyFor returns the highest priority of which the worker could start no item now: for
// IdleWorkers that of the most urgent item that it holds, else of the item that takes the
// last of its slots, or the last that is not reserved. false: it could start any.
func (pl *passPlanner) busyFor(l *workqueue.WorkerLoad, assignments []workqueue.Assignment) (priority int, ok bool) {
	held := slices.Clone(l.Held)
	for i := range assignments {
		if a := &assignments[i]; a.WorkerID == l.WorkerID {
			held = append(held, workqueue.HeldWork{Priority: a.Priority, Count: 1})
		}
	}
	slots, reserved := 1, 0
	if pl.p.Workers == AvailableWorkers {
		slots, reserved = l.Capacity, l.Reserved
		for i := range held {
			if held[i].Running { // no item starts before it ends, however urgent
				held[i].Priority = math.MaxInt
			}
		}
	}
	slices.SortFunc(held, func(a, b workqueue.HeldWork) int { return cmp.Compare(b.Priority, a.Priority) })
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

// Assign makes a pass for nobody but the worker that takes. done is false when that cannot
// be: items of queues with limits are due, workers take turns, or an item is due that is
// more urgent than all that another one holds. The error is ErrOthersPassed where a claim has to
// come first; later calls take that as made.
func (own *SelfAssign) Assign(ctx context.Context, store workqueue.AssignStore, p AssignParams) (taken workqueue.Claimed, done bool, err error) {
	if err := p.Validate(); err != nil {
		return taken, false, err
	}
	p = p.WithDefaults()
	p.MaxPerWorker = min(p.MaxPerWorker, p.Claim.Max)
	if own.alone {
		var plan *passPlan
		err := store.Survey(ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
			plan, err = own.plan(ctx, view, p)
			return err
		})
		if err != nil || plan == nil || len(plan.assignments) == 0 {
			return taken, plan != nil, err
		}
		var result AssignResult
		return plan.write(ctx, store, p.Claim, &result)
	}
	// Under the lock others wait for their turn, where without it they would plan the same
	// items. It is not counted: a plan that others have made meanwhile finds what is taken
	// in another state.
	writing, cancel, err := p.Claim.WriteContext(ctx)
	if err != nil {
		return taken, false, err
	}
	defer cancel()
	err = store.Assign(writing, func(ctx context.Context, tx workqueue.AssignTx) error {
		taken, done = workqueue.Claimed{}, false
		plan, err := own.plan(ctx, tx, p)
		if err != nil || plan == nil {
			return err
		}
		done = true
		if len(plan.assignments) > 0 {
			var items []workqueue.Item
			items, err = tx.AssignAndClaim(ctx, plan.assignments, *p.Claim)
			taken = workqueue.ClaimedItems(items)
		}
		return err
	})
	if err != nil {
		return workqueue.Claimed{}, false, err
	}
	return taken, done, nil
}

// plan is what the worker takes; nil: that is not for it alone to say.
func (own *SelfAssign) plan(ctx context.Context, view workqueue.AssignView, p AssignParams) (*passPlan, error) {
	marks, err := view.Marks(ctx)
	if err != nil {
		return nil, err
	}
	if !own.alone && marks.Passes != own.passes {
		own.passes = marks.Passes
		return nil, ErrOthersPassed
	}
	pl := p.plannerOf(workqueue.PassInput{Marks: marks, Loads: []workqueue.WorkerLoad{own.load}, Distributions: own.queues})
	if limited, err := pl.window(ctx, view); limited || err != nil {
		return nil, err
	}
	placements, turns := pl.Plan()
	if len(turns) > 0 || pl.classes.fillSlots { // what it holds is not known here
		return nil, nil
	}
	plan := &passPlan{marks: marks, assignments: assignmentsOf(placements)}
	of := levels(p.Band)
	for i := range plan.assignments {
		priority := plan.assignments[i].Priority
		if p.Workers == IdleWorkers {
			priority = of[slices.IndexFunc(of, func(least int) bool { return priority >= least })]
		}
		if p.Claim.Ahead && priority > own.busy { // another one may be able to start it
			return nil, nil
		}
	}
	return plan, nil
}
