package assign

import (
	"context"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// takeBackMargin is how much sooner an item must start on another worker to be moved there: less
// is not worth a write.
const takeBackMargin = 2 * time.Second

// takeBackMost bounds the items that a pass considers for a move.
const takeBackMost = 20_000

// manyItems is how many items make a pass run the garbage collector after it has extracted what
// it needs: what was read is three times as large, and the heap would otherwise double until the
// collector runs by itself. It takes a thousandth of the time of such a pass.
const manyItems = 100_000

// passPlanner is the planner of one pass, with the input of the pass.
type passPlanner struct {
	*plan.Planner
	workqueue.PassInput
	p       AssignParams
	classes *passClasses
	shares  *shares

	workers int // with room for items of every priority of the band
	room    int // for about this many items

	left   bool // not all due items were assigned, or none was read
	byHand bool // due items were inserted by hand, and the policies of their queues come first
}

// survey reads and plans without the lock, unless there are items to free first and they were not
// swept just now.
func (p AssignParams) survey(ctx context.Context, store workqueue.AssignStore, swept bool) (*passPlan, error) {
	plan := &passPlan{}
	err := store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		*plan = passPlan{}
		if !swept {
			var err error
			if plan.sweepable, err = view.NeedsSweep(ctx, p.AssignedFor); plan.sweepable || err != nil {
				return err
			}
		}
		pl, err := p.planner(ctx, view, p.expectedDue())
		if err != nil {
			return err
		}
		plan.marks, plan.workers = pl.PassState, pl.workers
		if plan.limited, err = pl.window(ctx, view); plan.limited || err != nil {
			return err
		}
		// Their policies may change their priority, or refuse them.
		if plan.sweepable = pl.byHand && !p.applied; plan.sweepable {
			return nil
		}
		plan.left = pl.left || pl.byHand
		placements, turns := pl.plan()
		if pl.Idles() && pl.waits() {
			if moved, movedTurns, ok, err := pl.takeBack(ctx, view); err != nil {
				return err
			} else if ok {
				placements, turns = moved, movedTurns
			}
		}
		plan.assignments, plan.turns, plan.faults = assignmentsOf(placements), turns, pl.classes.faults
		plan.emptied, plan.selfAssign = pl.empties(plan.assignments), pl.selfAssign(plan)
		return nil
	})
	return plan, err
}

// expectedDue returns how many due items a survey reads along with the workers: none for a worker
// that claims ahead, since it has a backlog to work on.
func (p AssignParams) expectedDue() int {
	if p.Claim != nil && p.Claim.Ahead {
		return 0
	}
	return leastWindow
}

// planner reads the workers, the queues and, if there are at most due of them, the due items.
func (p AssignParams) planner(ctx context.Context, view workqueue.AssignView, due int) (*passPlanner, error) {
	in, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: p.SeenWithin, Band: p.Band, DefaultEstimate: p.DefaultEstimate, AllHeld: p.Workers == IdleWorkers, Due: due})
	if err != nil {
		return nil, err
	}
	return p.plannerOf(in), nil
}

// plannerOf returns the planner of a pass with this input.
func (p AssignParams) plannerOf(in workqueue.PassInput) *passPlanner {
	pl := &passPlanner{p: p, PassInput: in}
	pl.p = p.bound(pl.heldBy(p.Claim))
	pl.classes = newPassClasses(pl.p, pl.Loads, pl.Distributions, pl.PassState.Now)
	// Whose turn it is is known when a slot is free, not before.
	pl.p.FreeSlots = pl.p.FreeSlots || pl.classes.compete
	pl.begin(false)
	// How much room there is for the least urgent items, after everything that is held.
	last := plan.New(pl.classes.workers, pl.held(false), nil, pl.options())
	last.Advance(p.Band.Min)
	pl.workers, pl.room = last.Open(), last.Room(p.DefaultEstimate.Milliseconds())
	return pl
}

// begin starts a new plan. With takeBack, assigned items that could be moved count as items to
// assign.
func (pl *passPlanner) begin(takeBack bool) {
	var movable []plan.Held
	if takeBack {
		movable = pl.movable()
	}
	pl.Planner = plan.New(pl.classes.workers, pl.held(takeBack), movable, pl.options())
	pl.classes.use(pl.Planner)
	pl.shares = newShares(pl.classes.shares(), pl.PassState.Turns)
}

// plan returns the placements since the last call, and what the next passes must know of turns.
func (pl *passPlanner) plan() ([]plan.Placement, map[string]int64) {
	placements, turns := pl.Plan()
	maps.Copy(turns, pl.shares.changed)
	return placements, turns
}

func (pl *passPlanner) options() plan.Options {
	o := plan.Options{
		Now: pl.PassState.Now.UnixMilli(), Horizon: max(pl.p.Horizon.Milliseconds(), 1), FreeSlots: pl.p.FreeSlots, MaxPerWorker: pl.p.MaxPerWorker,
		Margin: takeBackMargin.Milliseconds(), High: workqueue.HighPriority, Last: pl.PassState.Turns,
		Idle: pl.p.Workers == IdleWorkers,
	}
	if pl.p.Claim != nil && pl.p.Claim.Ahead && !pl.classes.compete {
		o.Asks = pl.p.Claim.WorkerID
	}
	return o
}

// empties reports whether the claiming worker has nothing else to claim: nothing is assigned to
// it, and the pass assigns nothing to it without claiming it.
func (pl *passPlanner) empties(assignments []workqueue.Assignment) bool {
	t := pl.p.Claim
	if t == nil || t.Band.Min < pl.p.Band.Min { // items assigned below the band were not read
		return false
	}
	for i := range pl.Loads {
		if pl.Loads[i].WorkerID == t.WorkerID {
			if slices.ContainsFunc(pl.Loads[i].Held, func(h workqueue.HeldWork) bool { return !h.Running && t.Band.Contains(h.Priority) }) {
				return false
			}
		}
	}
	_, others := t.Split(assignments)
	return !slices.ContainsFunc(others, func(a workqueue.Assignment) bool { return a.WorkerID == t.WorkerID })
}

// heldBy returns how many items the claiming worker already holds.
func (pl *passPlanner) heldBy(t *workqueue.PassClaim) (n int) {
	for i := range pl.Loads {
		if t != nil && pl.Loads[i].WorkerID == t.WorkerID {
			for k := range pl.Loads[i].Held {
				n += pl.Loads[i].Held[k].Count
			}
		}
	}
	return n
}

// held returns what the workers hold and keep.
func (pl *passPlanner) held(takeBack bool) []plan.Held {
	return pl.work(func(h *workqueue.HeldWork) bool { return h.Running || !takeBack || !pl.p.Band.Contains(h.Priority) })
}

// movable returns what the workers hold and could lose.
func (pl *passPlanner) movable() []plan.Held {
	return pl.work(func(h *workqueue.HeldWork) bool { return !h.Running && pl.p.Band.Contains(h.Priority) })
}

func (pl *passPlanner) work(is func(h *workqueue.HeldWork) bool) []plan.Held {
	var list []plan.Held
	for i := range pl.Loads {
		for k := range pl.Loads[i].Held {
			if h := &pl.Loads[i].Held[k]; is(h) {
				list = append(list, plan.Held{
					Worker: pl.Loads[i].WorkerID, Priority: h.Priority, Channel: h.Channel,
					Running: h.Running || pl.classes.compete, // it got a free slot, which no other item may take then
					Count:   h.Count, Estimate: h.Estimate.Milliseconds(),
				})
			}
		}
	}
	return list
}

// window assigns due items: first about twice as many as there is room for (see firstWindow), so
// that the longest of them can come first, and more while workers have room that none of them
// fits.
func (pl *passPlanner) window(ctx context.Context, view workqueue.AssignView) (limited bool, err error) {
	seen := map[int64]bool{}
	full := workqueue.Full{}
	pl.left = true
	refused := false
	for limit := pl.firstWindow(); !pl.Done(); limit = pl.nextWindow(limit, refused) {
		due, err := pl.due(ctx, view, full, limit)
		if err != nil {
			return false, err
		}
		more := len(due) >= limit && limit < mostWindow
		fresh := due[:0]
		for i := range due {
			if due[i].Queue != "" {
				return true, nil
			}
			if !seen[due[i].ID] {
				fresh = append(fresh, due[i])
			}
		}
		fresh = pl.withoutByHand(fresh)
		further := map[int64]bool{}
		if more {
			list, err := pl.beyond(ctx, view, full, fresh)
			if err != nil {
				return false, err
			}
			for i := range list {
				if list[i].Queue != "" {
					return true, nil
				}
				if !seen[list[i].ID] {
					further[list[i].ID] = true
					fresh = append(fresh, list[i])
				}
			}
		}
		items, err := pl.items(ctx, fresh)
		if err != nil {
			return false, err
		}
		pl.Expect(min(len(items), pl.room))
		pl.assign(items, further, func(it *plan.Item, ok bool) {
			refused = refused || !ok
			if more {
				seen[it.ID] = true
			}
		})
		if !more {
			pl.left = refused
			return false, nil
		}
		// Items that no open worker can run need not be read again.
		full.Queues, full.Pipelines = pl.classes.exhausted(), pl.classes.broken.here
	}
	return false, nil
}

// withoutByHand returns the due items without those that were inserted by hand and to which the
// policies of their queues were not applied yet.
func (pl *passPlanner) withoutByHand(due []workqueue.DueItem) []workqueue.DueItem {
	return slices.DeleteFunc(due, func(it workqueue.DueItem) bool {
		pl.byHand = pl.byHand || it.ByHand
		return it.ByHand
	})
}

// due returns due items: those that ReadPass has read, if these are as many or all.
func (pl *passPlanner) due(ctx context.Context, view workqueue.AssignView, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	if full.Size() == 0 && (limit == pl.DueLimit || len(pl.Due) < pl.DueLimit) {
		return pl.Due, nil
	}
	return view.DueItems(ctx, pl.p.Band, full, limit)
}

// firstWindow returns how many items a pass reads first. A worker that claims ahead finishes all
// of them in a moment, whichever comes first.
func (pl *passPlanner) firstWindow() int {
	if pl.p.Claim != nil && pl.p.Claim.Ahead {
		return min(max(pl.room, pl.p.Claim.Max), mostWindow)
	}
	return min(max(2*pl.room, leastWindow), mostWindow)
}

// nextWindow returns how many items a pass reads that has room left after last items. If all of
// those were assigned, the next ones will be too, so it reads no more than can be assigned; of
// short items these are more than room says.
func (pl *passPlanner) nextWindow(last int, refused bool) int {
	next := min(8*last, mostWindow)
	if !refused {
		next = min(next, last+max(pl.Room(1), leastWindow))
	}
	return next
}

// items returns the due items for the planner, in the order of assignment.
func (pl *passPlanner) items(ctx context.Context, due []workqueue.DueItem) ([]plan.Item, error) {
	items := make([]plan.Item, 0, len(due))
	for i := range due {
		it := &due[i]
		class, err := pl.classes.of(ctx, it)
		if err != nil {
			return nil, err
		}
		if class.number < 0 {
			continue // its pipeline is broken or its selectors cannot be parsed: any worker might get it
		}
		if it.Further && (!class.expedites || !pl.Expediting()) {
			continue // its turn has not come
		}
		estimate, known := pl.p.estimate(it)
		one := plan.Item{
			ID: it.ID, Priority: it.Priority, Estimate: max(estimate.Milliseconds(), 1), Guessed: !known, Due: it.Due.UnixMilli(),
			Expedite: it.Expedite && class.expedites, Class: class.number, Holder: it.Holder,
		}
		if !it.Deadline.IsZero() {
			one.Deadline = it.Deadline.UnixMilli()
		}
		items = append(items, one)
	}
	if len(items) > manyItems {
		runtime.GC()
	}
	pl.Sort(items, max(pl.p.Horizon.Milliseconds(), 1))
	return items, nil
}

// waits reports whether some worker holds items that it will not start soon.
func (pl *passPlanner) waits() bool {
	for i := range pl.Loads {
		l := &pl.Loads[i]
		var sum time.Duration
		movable := false
		held := make([]plan.Held, len(l.Held))
		for k := range l.Held {
			h := &l.Held[k]
			held[k] = plan.Held{Priority: h.Priority, Channel: h.Channel, Running: h.Running, Count: h.Count}
			sum += min(h.Estimate, math.MaxInt64-sum)
			movable = movable || !h.Running && pl.p.Band.Contains(h.Priority)
		}
		if movable && (sum > takeBackMargin || pl.p.FreeSlots) && pl.classes.workers[i].Crowded(held, workqueue.HighPriority) {
			return true
		}
	}
	return false
}

// takeBack plans again, with assigned items that have not started among the items to assign. Each
// stays where it is unless it starts much sooner elsewhere. It does nothing if there are too many
// of them.
func (pl *passPlanner) takeBack(ctx context.Context, view workqueue.AssignView) ([]plan.Placement, map[string]int64, bool, error) {
	assigned, err := view.AssignedItems(ctx, pl.p.Band, takeBackMost)
	if err != nil || len(assigned) == 0 || len(assigned) == takeBackMost {
		return nil, nil, false, err
	}
	due, err := view.DueItems(ctx, pl.p.Band, workqueue.Full{}, takeBackMost)
	if err != nil {
		return nil, nil, false, err
	}
	// Items of queues with limits are not planned without the lock; they are no more urgent than
	// what was assigned already.
	due = slices.DeleteFunc(pl.withoutByHand(due), func(it workqueue.DueItem) bool { return it.Queue != "" })
	pl.begin(true)
	items, err := pl.items(ctx, append(assigned, due...))
	if err != nil {
		return nil, nil, false, err
	}
	pl.assign(items, nil, func(*plan.Item, bool) {})
	placements, turns := pl.plan()
	return placements, turns, true, nil
}

// estimate returns how long the item is expected to take: its own estimate, the learned one, or
// its pipeline's; else the default, with known false.
func (p AssignParams) estimate(it *workqueue.DueItem) (estimate time.Duration, known bool) {
	if it.Estimate > 0 {
		return it.Estimate, true
	}
	profile := p.Profiles.For(it.Pipeline)
	if d, ok := p.Learned.Estimate(it.Pipeline, it.TaskName, it.NaturalKey, profile); ok {
		return d, true
	}
	if profile.Estimate > 0 {
		return profile.Estimate, true
	}
	return p.DefaultEstimate, false
}
