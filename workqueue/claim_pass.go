package workqueue

import (
	"context"
	"time"
)

// PassClaim makes a pass claim the items that it assigns to a worker, in the same
// statement: the item is written once instead of twice, and starts after one commit.
type PassClaim struct {
	WorkerID   int64
	InstanceID string
	Lease      time.Duration

	// Band and Max bound what is claimed. The rest is only assigned.
	Band Band
	Max  int

	// Begin is how many of the items begin at once. The others are claimed only while the
	// claimed items are expected to take no longer than Work altogether; 0 is no bound.
	Begin int
	Work  time.Duration

	// Ahead is true if the worker's slots are not free yet but will be in a moment. It
	// then counts as idle, and no worker gets more than Max items.
	Ahead bool

	// Within bounds the transaction that writes. The end of the pass's context does not
	// cancel it: items that were claimed by a lost answer would stay blocked until their
	// leases end.
	Within time.Duration
}

// Split separates the assignments that the worker claims: of waiting items, the most urgent
// first.
func (c *PassClaim) Split(assignments []Assignment) (claim, others []Assignment) {
	if c == nil {
		return nil, assignments
	}
	var work time.Duration
	for _, a := range assignments {
		fits := len(claim) < c.Begin || len(claim) < c.Max && (c.Work == 0 || work <= c.Work)
		if a.WorkerID == c.WorkerID && a.From == 0 && c.Band.Contains(a.Priority) && fits {
			claim = append(claim, a)
			work += a.Estimate
		} else {
			others = append(others, a)
		}
	}
	return claim, others
}

// WriteContext returns the context for the transaction that writes, and its cancel function.
func (c *PassClaim) WriteContext(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if c == nil {
		return ctx, func() {}, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Within)
	return ctx, cancel, nil
}

// Read reads what was claimed. Since it is claimed, the end of ctx does not cancel that.
func (c *PassClaim) Read(ctx context.Context, claimed Claimed) ([]Item, error) {
	if claimed.Len() == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Within)
	defer cancel()
	return claimed.Items(ctx)
}

// ClaimPassByAssign implements AssignStore.ClaimPass by Assign, for stores that have no
// shorter way.
func ClaimPassByAssign(ctx context.Context, store interface {
	Assign(ctx context.Context, pass func(ctx context.Context, tx AssignTx) error) error
}, passes int64, assignments []Assignment, c PassClaim) (claimed Claimed, done bool, err error) {
	var items []Item
	err = store.Assign(ctx, func(ctx context.Context, tx AssignTx) error {
		items, done = nil, false
		now, err := tx.PassState(ctx)
		if err != nil || now.Passes != passes {
			return err
		}
		if items, err = tx.AssignAndClaim(ctx, assignments, c); err != nil {
			return err
		}
		done = true
		return tx.RecordPass(ctx, PassState{Passes: passes})
	})
	if err != nil {
		return Claimed{}, false, err
	}
	return ClaimedItems(items), done, nil
}
