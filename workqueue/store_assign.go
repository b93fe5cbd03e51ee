package workqueue

import (
	"cmp"
	"context"
	"time"
)

// AssignStore is what assignment passes need of the database.
type AssignStore interface {
	// ReadUnlocked reads for a pass without the assignment lock: what it read may be
	// out of date when the pass writes.
	ReadUnlocked(ctx context.Context, read func(ctx context.Context, view AssignView) error) error

	// Assign runs pass under the cluster's assignment lock: it waits for the
	// lock, and what pass wrote is committed together when pass returns nil.
	// Two passes never overlap. When the engine asks for it (a deadlock), the
	// transaction is rolled back and pass runs again from the start. The
	// transaction handed to pass must not be used after it returned.
	Assign(ctx context.Context, pass func(ctx context.Context, tx AssignTx) error) error

	// ClaimPass writes a pass that gives items only to the worker that claims them:
	// AssignAndClaim and then RecordPass. passes is PassState.Passes as the pass read it; if another
	// pass has been written since, ClaimPass writes nothing and done is false. An engine where each statement is a round trip
	// may do it in one. Where other writers wait while a statement writes, the claimed
	// items are read later.
	ClaimPass(ctx context.Context, passes int64, assignments []Assignment, c PassClaim) (claimed Claimed, done bool, err error)
}

// AssignView is what a pass reads.
type AssignView interface {
	// ReadPass reads what a pass needs before it plans. The marks are read first, so
	// that a pass which writes meanwhile is noticed by them.
	ReadPass(ctx context.Context, q PassQuery) (PassInput, error)

	// PassState returns what passes remember.
	PassState(ctx context.Context) (PassState, error)

	// NeedsSweep reports whether Rescue, Expire or ApplyPolicies would find something.
	NeedsSweep(ctx context.Context, assignedFor time.Duration) (bool, error)

	// DueItems returns up to limit items of the band that wait and are due,
	// of queues that are not paused and that workers take from, by priority
	// (largest first), those that may be expedited, deadline (none last) and id.
	// If there are more, up to as many that may be expedited follow, marked as Further.
	// What Write assigned is no longer among them, nor is what full names.
	DueItems(ctx context.Context, band Band, full Full, limit int) ([]DueItem, error)

	// DueOfQueue returns up to limit of the items that DueItems returns of a queue, the most
	// urgent first.
	DueOfQueue(ctx context.Context, queue string, band Band, full Full, limit int) ([]DueItem, error)

	// AssignedItems returns up to limit items of the band that are assigned and
	// have not started, and that Claim may start now, in the order in which their
	// workers start them: that of CompareStarts.
	AssignedItems(ctx context.Context, band Band, limit int) ([]DueItem, error)

	// HeldItems returns the items that workers and robots hold: up to limit of those
	// that run, and up to limit of those that are assigned, by priority (largest
	// first) and the order in which their workers start them.
	HeldItems(ctx context.Context, limit int) ([]HeldItem, error)

	// LimitUses returns the queues that have limits, by name, with what of them is
	// used. It changes nothing, so it counts starts as they were noted last:
	// LimitTx.Limits notes them first.
	LimitUses(ctx context.Context) ([]LimitUse, error)
}

// AssignTx is the database inside an assignment pass.
type AssignTx interface {
	AssignView
	LimitTx

	// Rescue releases items that no worker will run: running items whose lease has
	// run out, assigned items that wait longer than assignedFor or whose
	// worker is gone, and assigned items that no claim starts now: they are not due
	// or deleted, or their queue is paused or for robots. An item that comes back
	// because its runner died, as often as its queue says (Queue.Releases), is cancelled
	// as poison.
	Rescue(ctx context.Context, assignedFor time.Duration) (RescueResult, error)

	// Expire cancels the items that have not been started by their deadline, or
	// within their queue's time to live, as expired, and returns how many. It removes those
	// of queues with ExpiryRemove, which count as expired too.
	Expire(ctx context.Context) (int, error)

	// ApplyPolicies applies the policies of their queues to waiting items that were
	// inserted by hand, up to a bound: the priority offset, the time to live and the
	// unique key. It cancels those that Enqueue would refuse: their payload does not
	// match the queue's schema, or another item has their unique key; of several with
	// the same key, the oldest stays.
	ApplyPolicies(ctx context.Context) (AppliedPolicies, error)

	// Write assigns items to workers, or moves them from the worker that each
	// names as From, and returns how many it changed. An item stays as it is when it
	// was cancelled or started meanwhile, or when DueItems would not return it for
	// another reason: it is not due, deleted or expired, or its queue is paused or
	// for robots. So does one for a worker that ReadPass would not return because of
	// its state or its lease.
	Write(ctx context.Context, assignments []Assignment) (int, error)

	// AssignAndClaim assigns waiting items to the worker as Write does, claims what was
	// written as LeaseStore.Claim does, and returns the claimed items in the order of
	// Claim. Items that Write would leave unchanged are left out; all are if the worker is
	// not active or another process uses its name.
	AssignAndClaim(ctx context.Context, assignments []Assignment, c PassClaim) ([]Item, error)

	// RecordPass counts this pass and remembers whose turn it is.
	RecordPass(ctx context.Context, m PassState) error
}

// AppliedPolicies are the results of AssignTx.ApplyPolicies.
type AppliedPolicies struct {
	Applied int // items that wait on
	Refused int // items that were cancelled
}

// PassQuery says what a pass needs to read.
type PassQuery struct {
	SeenWithin      time.Duration // workers that were seen longer ago are left out
	Band            Band
	DefaultEstimate time.Duration // of work whose duration is unknown

	// AllHeld asks for everything that is assigned, also below the band.
	AllHeld bool

	// Due is the number of due items that the pass expects at most; 0 if it does not
	// know. An engine where each statement is a round trip reads up to that many along.
	Due int
}

// HeldFrom returns the priority from which assigned items are read.
func (q *PassQuery) HeldFrom() int {
	if q.AllHeld {
		return EveryPriority.Min
	}
	return q.Band.Min
}

// PassInput is what a pass reads before it plans.
type PassInput struct {
	PassState PassState

	// Distributions say how the items of queues are given to workers, as JSON by queue,
	// for the queues that define it.
	Distributions map[string]JSONText

	// Loads are the active workers whose lease runs, in the order of their ids, with
	// everything that runs there and what is assigned to them at or above HeldFrom. Work
	// that runs counts with its expected remaining time; see HeldWork.
	Loads []WorkerLoad

	// Due are the first DueLimit due items of the band, as DueItems returns them. DueLimit is
	// that of the query, or 0 if they were not read.
	Due      []DueItem
	DueLimit int
}

// PassState is what assignment passes remember from one to the next.
type PassState struct {
	// Now is the database's clock, UTC.
	Now time.Time

	// Passes counts the passes that have written.
	Passes int64

	// Turns is the worker that got the last item, by the scope that takes turns.
	Turns map[string]int64
}

// DueItem is what an assignment pass knows of an item.
type DueItem struct {
	ID       int64
	Priority int
	Due      time.Time // since when it is due
	Deadline time.Time // zero: none

	// Estimate is 0 when the item names none. TaskName and NaturalKey are given
	// then, "" for none.
	Estimate             time.Duration
	TaskName, NaturalKey string

	// Pipeline is the start of its IntegrationConfig, enough for a pipeline's name.
	Pipeline string

	QueueName string

	// Queue is the item's queue if that has limits, else ""; LimitKey is then
	// what its limits per key count by, "" for nothing.
	Queue    string
	LimitKey string

	// Labels and Selectors are the item's own, as JSON; Expedite is set if one
	// of the selectors puts it before all others while it asks.
	Labels, Selectors JSONText
	Expedite          bool

	// Further marks an item beyond the limit of DueItems, which is there only since
	// it may be expedited.
	Further bool

	// Holder is the worker that the item is assigned to; 0: none.
	Holder int64

	// ByHand: it was inserted by hand, and ApplyPolicies must come before it is assigned.
	// Only DueItems sets it.
	ByHand bool
}

// CompareDue orders items as AssignView.DueItems returns them.
func CompareDue(a, b DueItem) int {
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	if a.Expedite != b.Expedite {
		if a.Expedite {
			return -1
		}
		return 1
	}
	deadline := a.Deadline.Compare(b.Deadline)
	if a.Deadline.IsZero() != b.Deadline.IsZero() {
		deadline = -deadline // the zero time means none, and none comes last
	}
	return cmp.Or(deadline, cmp.Compare(a.ID, b.ID))
}

// HeldItem is an item that is assigned or runs. Its Estimate is what the pass that
// assigned it expected; a Holder of 0 is a robot.
type HeldItem struct {
	DueItem

	Running bool      // else assigned and not started
	Since   time.Time // when it was assigned, or started

	// FinishBy is when a run of it is ended; the zero time: never.
	FinishBy time.Time

	// RunOrder is its place among the items of the same priority at its worker,
	// the least first; Channel is its pipeline's when it was assigned.
	RunOrder int64
	Channel  string
}

// StartItem returns the fields that CompareStarts compares.
func (h *HeldItem) StartItem() *Item {
	return &Item{ID: h.ID, Priority: h.Priority, RunOrder: h.RunOrder}
}

// Assignment gives an item to a worker.
type Assignment struct {
	ItemID   int64 `json:"id"`
	WorkerID int64 `json:"worker"`

	// From is the worker that the item is taken from; 0: it waits.
	From int64 `json:"from,omitempty"`

	// RunOrder is its place among the items of the same priority at the worker,
	// the least first. It also marks expedited items; see plan.Placement.
	RunOrder int64 `json:"runOrder"`

	// Estimate is how long the pass expects it to take, 0 if unknown;
	// Channel is its pipeline's.
	Estimate time.Duration `json:"estimate"`
	Channel  string        `json:"channel,omitempty"`

	// StartsAt is when the pass expects it to start, Priority the item's. They are
	// not written.
	StartsAt time.Time `json:"-"`
	Priority int       `json:"-"`
}
