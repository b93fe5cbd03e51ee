package runner_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// claimingStore records what passes claim.
type claimingStore struct {
	runner.Store

	mu      sync.Mutex
	claimed []int64
	holds   []int // sizes of the claims that returned more items than requested
	ahead   int   // number of claims while some items had not started

	first int // how many items were assigned before
	begun func() int
}

func (s *claimingStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return s.Store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		return pass(ctx, claimingTx{tx, s})
	})
}

func (s *claimingStore) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, s, passes, as, t)
}

type claimingTx struct {
	workqueue.AssignTx
	s *claimingStore
}

func (tx claimingTx) AssignAndClaim(ctx context.Context, as []workqueue.Assignment, t workqueue.PassClaim) ([]workqueue.Item, error) {
	items, err := tx.AssignTx.AssignAndClaim(ctx, as, t)
	tx.s.mu.Lock()
	defer tx.s.mu.Unlock()
	if tx.s.begun()+8 < tx.s.first+len(tx.s.claimed) { // more than the slots hold
		tx.s.ahead++
	}
	for i := range items {
		tx.s.claimed = append(tx.s.claimed, items[i].ID)
	}
	if len(items) > t.Max {
		tx.s.holds = append(tx.s.holds, len(items))
	}
	return items, err
}

func TestPassClaimsShortItemsAhead(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		var ran runs
		store := &claimingStore{Store: sqlite, begun: func() int {
			ran.mu.Lock()
			defer ran.mu.Unlock()
			return len(ran.order)
		}}
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Millisecond)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity = 4
		r := start(t, o)
		ids := enqueue(t, sqlite, 1500, workqueue.NewItem{Estimate: time.Millisecond})
		urgent := enqueue(t, sqlite, 3, workqueue.NewItem{Priority: 2000, Estimate: time.Millisecond})
		store.first = assignTo(t, r, assign.AssignParams{FreeSlots: true}).Assigned
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 1503 {
			t.Errorf("Execute = %+v, want 1503 successes", got)
		}
		ran.wantOnce(t, slices.Concat(ids, urgent))
		for _, id := range urgent {
			if !slices.Contains(ran.order[:20], id) {
				t.Errorf("the urgent item %d ran at position %d", id, slices.Index(ran.order, id))
			}
		}
		store.mu.Lock()
		defer store.mu.Unlock()
		if n := len(store.claimed); n < 1000 || len(store.holds) > 0 {
			t.Errorf("%d items were claimed, want most of 1503; claims of more than requested: %v", n, store.holds)
		}
		if store.ahead == 0 {
			t.Error("the worker never claimed more items before all had started")
		}
	})
}

// A pass claims no more long items than slots are free. The rest is only assigned, so that other
// workers can run it.
func TestPassClaimsLongItemsForFreeSlotsOnly(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &claimingStore{Store: sqlite, begun: func() int { return 0 }}
		o := options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		})
		r := start(t, o)
		enqueue(t, sqlite, 30, workqueue.NewItem{Estimate: time.Second})
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 10})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 30 || len(store.claimed) > 3 || len(store.holds) > 0 {
			t.Errorf("Execute = %+v, want 30 successes; claims of %v items, want one for each pass", got, store.claimed)
		}
	})
}
