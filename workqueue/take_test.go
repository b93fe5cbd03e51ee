package workqueue_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// takingStore notes what passes take.
type takingStore struct {
	*sqlstore.Store

	mu    sync.Mutex
	taken []int64
	holds []int // what was held or being written when it asked
}

func (s *takingStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return s.Store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		return pass(ctx, takingTx{tx, s})
	})
}

type takingTx struct {
	workqueue.AssignTx
	s *takingStore
}

func (tx takingTx) Take(ctx context.Context, as []workqueue.Assignment, t workqueue.Taking) ([]workqueue.Item, error) {
	items, err := tx.AssignTx.Take(ctx, as, t)
	tx.s.mu.Lock()
	defer tx.s.mu.Unlock()
	for i := range items {
		tx.s.taken = append(tx.s.taken, items[i].ID)
	}
	if len(items) > t.Max {
		tx.s.holds = append(tx.s.holds, len(items))
	}
	return items, err
}

func TestShortItemsAreTakenByThePass(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &takingStore{Store: sqlite}
		var ran runs
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Millisecond)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity = 4
		r := start(t, o)
		ids := enqueue(t, sqlite, 1500, workqueue.NewItem{Estimate: time.Millisecond})
		urgent := enqueue(t, sqlite, 3, workqueue.NewItem{Priority: 2000, Estimate: time.Millisecond})
		assign(t, r, workqueue.AssignParams{MaxPerWorker: 10})
		if got := execute(t, r, workqueue.ExecuteParams{Refill: true}); got.Succeeded != 1503 {
			t.Errorf("Execute = %+v, want 1503 successes", got)
		}
		ran.wantOnce(t, slices.Concat(ids, urgent))
		for _, id := range urgent {
			if !slices.Contains(ran.order[:20], id) {
				t.Errorf("the urgent item %d ran at place %d", id, slices.Index(ran.order, id))
			}
		}
		store.mu.Lock()
		defer store.mu.Unlock()
		if n := len(store.taken); n < 1400 || len(store.holds) > 0 {
			t.Errorf("%d items were taken, want most of 1503; more than was asked for: %v", n, store.holds)
		}
	})
}

func TestLongItemsAreAssignedFirst(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &takingStore{Store: sqlite}
		o := options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Second)
			return workqueue.Outcome{}
		})
		r := start(t, o)
		enqueue(t, sqlite, 30, workqueue.NewItem{Estimate: time.Second})
		assign(t, r, workqueue.AssignParams{MaxPerWorker: 10})
		if got := execute(t, r, workqueue.ExecuteParams{Refill: true}); got.Succeeded != 30 || len(store.taken) > 0 {
			t.Errorf("Execute = %+v, want 30 successes; taken were %v, want none", got, store.taken)
		}
	})
}
