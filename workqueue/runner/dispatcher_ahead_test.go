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

// slowReads is a store whose passes claim at once and take their time to read what they have
// claimed. One read may fail.
type slowReads struct {
	*sqlstore.Store
	takes time.Duration
	fails int // which read, from 1; 0: none

	mu      sync.Mutex
	reading int   // reads under way
	most    int   // of them at a time
	beside  int   // passes that claimed while a read was under way
	reads   int   // so far
	claimed int   // items
	unread  []int // how many items the reads that failed had
}

func (s *slowReads) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	taken, done, err := s.Store.ClaimPass(ctx, passes, as, t)
	if err != nil || taken.Len() == 0 {
		return taken, done, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading > 0 {
		s.beside++
	}
	s.claimed += taken.Len()
	s.reading++
	s.most = max(s.most, s.reading)
	return workqueue.ClaimedToRead(taken.Len(), func(ctx context.Context) ([]workqueue.Item, error) {
		time.Sleep(s.takes)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reading--
		if s.reads++; s.reads == s.fails {
			s.unread = append(s.unread, taken.Len())
			return nil, errors.New("the connection is gone")
		}
		return taken.Items(ctx)
	}), done, nil
}

// While one batch is read the next one is claimed, and no more than that.
func TestThePassBehindOneThatIsReadBegins(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &slowReads{Store: sqlite, takes: 300 * time.Millisecond} // longer than a batch runs
		var ran runs
		o := swift(store, "ann", &ran)
		run, waiting := o.RunItem, 0
		o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.mu.Lock()
			begun := len(ran.order)
			ran.mu.Unlock()
			store.mu.Lock()
			waiting = max(waiting, store.claimed-begun)
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
		if store.beside == 0 || store.most > 2 {
			t.Errorf("%d passes claimed while a batch was read, %d batches were read at a time; want some, and 2 at most", store.beside, store.most)
		}
		if waiting > 2*100 {
			t.Errorf("%d items were claimed and had not begun, want two batches of 100 at most", waiting)
		}
	})
}

// What is claimed and cannot be read holds up nothing else, and comes back when its lease
// has ended.
func TestWhatCannotBeReadComesBack(t *testing.T) {
	bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
		store := &slowReads{Store: sqlite, takes: time.Millisecond, fails: 3}
		var ran runs
		o := swift(store, "ann", &ran)
		r := start(t, o)
		ids := enqueue(t, sqlite, 1500, workqueue.NewItem{Estimate: time.Millisecond})
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
		got := execute(t, r, runner.ExecuteParams{Refill: true})
		if len(store.unread) != 1 || got.Succeeded != 1500-store.unread[0] {
			t.Fatalf("Execute = %+v, not read were %v; want one batch, and all others to succeed", got, store.unread)
		}
		time.Sleep(2 * o.Spec.Lease)
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != store.unread[0] {
			t.Errorf("Execute = %+v, want %d successes", got, store.unread[0])
		}
		ran.wantOnce(t, ids)
	})
}
