package runner_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// lockStore answers like a server on which another session holds the rows of some items.
type lockStore struct {
	storetest.Store

	mu   sync.Mutex
	held []int64
}

func (s *lockStore) hold(ids ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = ids
}

func (s *lockStore) holds(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.held, id)
}

// split returns those whose rows no session holds, and the ids of the others.
func split[T any](s *lockStore, all []T, id func(T) int64) (free []T, held []int64) {
	for _, one := range all {
		if s.holds(id(one)) {
			held = append(held, id(one))
		} else {
			free = append(free, one)
		}
	}
	return free, held
}

func locked(err error, ids []int64) error {
	if err == nil && len(ids) > 0 {
		return &workqueue.LockedError{Items: ids}
	}
	return err
}

func (s *lockStore) Finish(ctx context.Context, workerID int64, instanceID string, fs []workqueue.Finish) ([]int64, error) {
	free, held := split(s, fs, func(f workqueue.Finish) int64 { return f.ItemID })
	lost, err := s.Store.Finish(ctx, workerID, instanceID, free)
	return lost, locked(err, held)
}

func (s *lockStore) Progress(ctx context.Context, workerID int64, instanceID string, notes []workqueue.ProgressNote) ([]int64, error) {
	free, held := split(s, notes, func(n workqueue.ProgressNote) int64 { return n.ItemID })
	lost, err := s.Store.Progress(ctx, workerID, instanceID, free)
	return lost, locked(err, held)
}

func (s *lockStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	free, held := split(s, p.Held, func(r workqueue.ItemRef) int64 { return r.ItemID })
	p.Held = free
	result, err := s.Store.Beat(ctx, p)
	result.Locked = held
	return result, err
}

// A result that cannot be written holds up no other result and no slot, and is written once the other
// session has ended.
func TestResultOfALockedRow(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		locks := &lockStore{Store: store}
		var mu sync.Mutex
		runs := map[int64]int{}
		o := options(locks, "ann", func(_ context.Context, run *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			runs[run.ID]++
			return workqueue.Outcome{}
		})
		r := start(t, o)
		ids := enqueue(t, store, 6, workqueue.NewItem{})
		locks.hold(ids[0])
		assignTo(t, r, assign.AssignParams{})
		began := time.Now()
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(8 * time.Second)
		for _, id := range ids[1:] {
			wantItem(t, store, id, workqueue.Processed, 0)
		}
		wantItem(t, store, ids[0], workqueue.Blocked, 0)
		time.Sleep(lease - 10*time.Second)
		locks.hold()
		if got := <-done; got.err != nil || got.Succeeded != len(ids) {
			t.Errorf("Execute = %+v after %s, want all items succeeded", got, time.Since(began))
		}
		wantItem(t, store, ids[0], workqueue.Processed, 0)
		for id, n := range runs {
			if n != 1 {
				t.Errorf("item %d ran %d times", id, n)
			}
		}
	})
}

// Only the item whose own lease could not be renewed is stopped, and before the lease ends.
func TestLeaseOfALockedRow(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		locks := &lockStore{Store: store}
		var mu sync.Mutex
		ended := map[int64]time.Duration{}
		causes := map[int64]error{}
		began := time.Now()
		o := options(locks, "ann", func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
			select {
			case <-ctx.Done():
			case <-time.After(5 * lease):
			}
			mu.Lock()
			defer mu.Unlock()
			ended[run.ID], causes[run.ID] = time.Since(began), context.Cause(ctx)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity = 3
		r := start(t, o)
		ids := enqueue(t, store, 3, workqueue.NewItem{})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{})
		time.Sleep(time.Second)
		locks.hold(ids[1])
		time.Sleep(6 * lease)
		locks.hold()
		<-done
		for i, id := range ids {
			held := i == 1
			if stopped := errors.Is(causes[id], workqueue.ErrLeaseLost); stopped != held || held && ended[id] > lease+time.Second {
				t.Errorf("the run of item %d ended after %s: %v", i, ended[id], causes[id])
			}
		}
		wantItem(t, store, ids[0], workqueue.Processed, 0)
		wantItem(t, store, ids[2], workqueue.Processed, 0)
	})
}
