package runner_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// slowReads is a store whose passes claim at once and read the claimed items slowly. One read
// may fail.
type slowReads struct {
	runner.Store
	readTime time.Duration
	failOn   int // which read, from 1; 0: none

	mu               sync.Mutex
	reading          int   // reads under way
	mostReading      int   // of them at a time
	passesDuringRead int   // passes that claimed while a read was under way
	reads            int   // reads so far
	claimed          int   // items
	unread           []int // the number of items of each failed read
}

func (s *slowReads) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	claimed, done, err := s.Store.ClaimPass(ctx, passes, as, t)
	if err != nil || claimed.Len() == 0 {
		return claimed, done, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading > 0 {
		s.passesDuringRead++
	}
	s.claimed += claimed.Len()
	s.reading++
	s.mostReading = max(s.mostReading, s.reading)
	return workqueue.ClaimedUnread(claimed.Len(), func(ctx context.Context) ([]workqueue.Item, error) {
		time.Sleep(s.readTime)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reading--
		if s.reads++; s.reads == s.failOn {
			s.unread = append(s.unread, claimed.Len())
			return nil, errors.New("connection lost")
		}
		return claimed.Items(ctx)
	}), done, nil
}

// While one batch is being read, exactly one more batch is claimed.
func TestNextPassStartsDuringRead(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &slowReads{Store: sqlite, readTime: 300 * time.Millisecond} // longer than a batch runs
		var ran runs
		o := shortItemOptions(store, "ann", &ran)
		run, waiting := o.RunItem, 0
		o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.mu.Lock()
			started := len(ran.order)
			ran.mu.Unlock()
			store.mu.Lock()
			waiting = max(waiting, store.claimed-started)
			store.mu.Unlock()
			return run(ctx, it)
		}
		r := start(t, o)
		ids := enqueue(t, sqlite, 1500, workqueue.NewItem{Estimate: time.Millisecond})
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 1500 {
			t.Errorf("Execute = %+v, want 1500 successes", got)
		}
		ran.wantOnce(t, ids)
		store.mu.Lock()
		defer store.mu.Unlock()
		if store.passesDuringRead == 0 || store.mostReading > 2 {
			t.Errorf("%d passes claimed while a batch was read, %d batches were read at a time; want some, and 2 at most", store.passesDuringRead, store.mostReading)
		}
		if waiting > 2*100 {
			t.Errorf("%d items were claimed and had not started, want at most two batches of 100", waiting)
		}
	})
}

// Claimed items that cannot be read do not block others, and run after their leases have ended.
func TestUnreadItemsRunAfterTheirLease(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &slowReads{Store: sqlite, readTime: time.Millisecond, failOn: 3}
		var ran runs
		o := shortItemOptions(store, "ann", &ran)
		r := start(t, o)
		ids := enqueue(t, sqlite, 1500, workqueue.NewItem{Estimate: time.Millisecond})
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
		got := execute(t, r, runner.ExecuteParams{Refill: true})
		if len(store.unread) != 1 || got.Succeeded != 1500-store.unread[0] {
			t.Fatalf("Execute = %+v, unread batches: %v; want one unread batch and successes of all other items", got, store.unread)
		}
		time.Sleep(2 * o.Spec.Lease)
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != store.unread[0] {
			t.Errorf("Execute = %+v, want %d successes", got, store.unread[0])
		}
		ran.wantOnce(t, ids)
	})
}
