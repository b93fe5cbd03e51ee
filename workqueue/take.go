package workqueue

import (
	"context"
	"time"
)

// Taking has a pass claim for a worker what it assigns to it, in one statement: an
// item is written once where it was written twice, and starts after one commit.
type Taking struct {
	WorkerID   int64
	InstanceID string
	Lease      time.Duration

	// Band and Max bound what is claimed; the rest is assigned.
	Band Band
	Max  int

	// Begin is how many of them begin at once. No other one is claimed behind items
	// that are expected to take longer than Work in all; 0: no bound.
	Begin int
	Work  time.Duration

	// Ahead tells that the worker asks before it is idle, since its slots come free
	// in a moment: it counts as idle, and no worker is given more than Max.
	Ahead bool

	// Within bounds the transaction that writes: it is not broken off when the
	// pass's context ends, since what a lost answer had claimed would stay blocked
	// until its lease ends.
	Within time.Duration
}

// Split splits off what the worker takes: items that wait, the most urgent first.
func (t *Taking) Split(assignments []Assignment) (own, others []Assignment) {
	if t == nil {
		return nil, assignments
	}
	var work time.Duration
	for _, a := range assignments {
		fits := len(own) < t.Begin || len(own) < t.Max && (t.Work == 0 || work <= t.Work)
		if a.WorkerID == t.WorkerID && a.From == 0 && t.Band.Contains(a.Priority) && fits {
			own = append(own, a)
			work += a.Estimate
		} else {
			others = append(others, a)
		}
	}
	return own, others
}

// WriteContext returns the context of the transaction that writes, and its end.
func (t *Taking) WriteContext(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if t == nil {
		return ctx, func() {}, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.Within)
	return ctx, cancel, nil
}

// Read reads what was taken. That is claimed: it is not broken off either.
func (t *Taking) Read(ctx context.Context, taken Taken) ([]Item, error) {
	if taken.Len() == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.Within)
	defer cancel()
	return taken.Items(ctx)
}

// TakeByAssign is TakePass by Assign, for stores that know no shorter way.
func TakeByAssign(ctx context.Context, store interface {
	Assign(ctx context.Context, pass func(ctx context.Context, tx AssignTx) error) error
}, passes int64, assignments []Assignment, t Taking) (taken Taken, done bool, err error) {
	var items []Item
	err = store.Assign(ctx, func(ctx context.Context, tx AssignTx) error {
		items, done = nil, false
		now, err := tx.Marks(ctx)
		if err != nil || now.Passes != passes {
			return err
		}
		if items, err = tx.Take(ctx, assignments, t); err != nil {
			return err
		}
		done = true
		return tx.Mark(ctx, Marks{Passes: passes})
	})
	if err != nil {
		return Taken{}, false, err
	}
	return TakenItems(items), done, nil
}
