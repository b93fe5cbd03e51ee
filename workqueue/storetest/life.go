package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func lifeTests() []test {
	return []test{
		{"workers that fail and die finish every item", lifeOfMany},
		{"rescue and finish compete for the same runs", lifeRescueAgainstFinish},
		{"archive and claim compete for the same items", lifeArchiveAgainstClaim},
	}
}

// Several workers assign, claim and finish at the same time. Some runs fail
// once, some end with the death of their worker. In the end every item has succeeded
// once, and the counters are correct.
func lifeOfMany(x *fixture) {
	const workers, items = 4, 240
	ids := x.Items(items, ItemOpts{})
	crew := make([]crew, workers)
	runs := &tally{succeeded: map[int64]int{}, tried: map[int64]int{}}
	for n := range crew {
		crew[n].worker, crew[n].store = x.Worker(WorkerOpts{}), x.Store
		if n%2 == 1 {
			crew[n].store = x.Another(x.T)
		}
	}
	var wg sync.WaitGroup
	for _, c := range crew {
		wg.Go(func() {
			for !runs.done(items) && !x.Failed() {
				if err := c.round(x, runs); err != nil {
					x.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	checkOnce(x.T, runs.succeeded, items)
	for _, id := range ids {
		it := x.show(id)
		fails, dies := fate(id)
		if it.State != workqueue.Processed || it.RetryCount != fails || it.ReleaseCount != dies || it.Fence != int64(1+fails+dies) {
			x.Errorf("item %d is %s after %d failures, %d releases and %d claims, want Processed after %d, %d and %d",
				id, it.State, it.RetryCount, it.ReleaseCount, it.Fence, fails, dies, 1+fails+dies)
		}
		if n := len(x.attempts(id)); n != fails+dies {
			x.Errorf("item %d has %d attempts, want %d", id, n, fails+dies)
		}
	}
}

// fate returns how often an item fails, and how often its worker dies, before it
// succeeds. The deaths come first.
func fate(id int64) (fails, dies int) {
	if id%3 == 0 {
		fails = 1
	}
	if id%5 == 0 {
		dies = 2
	}
	return fails, dies
}

// tally counts the results of the items' runs.
type tally struct {
	mu        sync.Mutex
	succeeded map[int64]int
	tried     map[int64]int
}

func (t *tally) done(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.succeeded) >= n
}

func (t *tally) try(id int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried[id]++
	return t.tried[id]
}

func (t *tally) succeed(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.succeeded[id]++
}

// crew is one worker process.
type crew struct {
	worker workqueue.Worker
	store  Store
}

// round is one tick: an assignment pass, then the runs of all claimed items.
func (c crew) round(x *fixture, runs *tally) error {
	err := c.store.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		if _, err := tx.Rescue(ctx, time.Hour); err != nil {
			return err
		}
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 9)
		if err != nil {
			return err
		}
		batch := make([]workqueue.Assignment, len(due))
		for i, d := range due {
			batch[i] = workqueue.Assignment{ItemID: d.ID, WorkerID: c.worker.ID}
		}
		if n, err := tx.Write(ctx, batch); err != nil || n != len(batch) {
			return fmt.Errorf("assigned %d of %d (error %w)", n, len(batch), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	items, err := c.store.Claim(x.ctx, claimParams(c.worker, 9))
	if err != nil {
		return err
	}
	var ends []workqueue.Finish
	for _, it := range items {
		fails, dies := fate(it.ID)
		switch try := runs.try(it.ID); {
		case try <= dies:
			x.expire(it.ID) // the worker dies: it does not finish the item
		case try <= dies+fails:
			end := failure(it, workqueue.Ready)
			end.Delay = 0
			ends = append(ends, end)
		default:
			runs.succeed(it.ID)
			ends = append(ends, success(it))
		}
	}
	lost, err := c.store.Finish(x.ctx, c.worker.ID, c.worker.InstanceID, ends)
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("lost %v, although no call ended their leases", lost)
	}
	return err
}

// finishAll finishes runs, those again whose rows another session holds: it is rescuing them.
func (x *fixture) finishAll(w workqueue.Worker, ends []workqueue.Finish) (lost []int64) {
	x.Helper()
	for len(ends) > 0 {
		more, err := x.Store.Finish(x.ctx, w.ID, w.InstanceID, ends)
		lost = append(lost, more...)
		locked, ok := errors.AsType[*workqueue.LockedError](err)
		if err != nil && !ok {
			x.Fatal(err)
		}
		if !ok {
			break
		}
		ends = slices.DeleteFunc(ends, func(f workqueue.Finish) bool { return !slices.Contains(locked.Items, f.ItemID) })
	}
	return lost
}

// All leases have expired when the worker finishes its runs: each item is either
// finished or rescued, and the worker learns which.
func lifeRescueAgainstFinish(x *fixture) {
	const n = 300
	w := x.Worker(WorkerOpts{})
	x.Items(n, ItemOpts{State: workqueue.Assigned, Worker: w})
	items := x.claim(w, n)
	x.exec(n, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
	other := x.Another(x.T)
	var rescued workqueue.RescueResult
	var wg sync.WaitGroup
	wg.Go(func() {
		err := other.Assign(x.ctx, func(ctx context.Context, tx workqueue.AssignTx) (err error) {
			rescued, err = tx.Rescue(ctx, time.Hour)
			return err
		})
		if err != nil {
			x.Error(err)
		}
	})
	lost := map[int64]bool{}
	for start := 0; start < n; start += 20 {
		var ends []workqueue.Finish
		for _, it := range items[start : start+20] {
			ends = append(ends, success(it))
		}
		for _, id := range x.finishAll(w, ends) {
			lost[id] = true
		}
	}
	wg.Wait()
	if rescued.Rescued != len(lost) {
		x.Errorf("%d runs were rescued and %d were lost, want the same", rescued.Rescued, len(lost))
	}
	for _, it := range items {
		want := workqueue.Processed
		if lost[it.ID] {
			want = workqueue.Ready
		}
		x.wantState(want, it.ID)
	}
}

// A user archives items, except running ones, while their worker claims them: each item
// is either archived or claimed, and both results are correct.
func lifeArchiveAgainstClaim(x *fixture) {
	const n = 60
	w := x.Worker(WorkerOpts{})
	ids := x.Items(n, ItemOpts{State: workqueue.Assigned, Worker: w})
	other := x.Another(x.T)
	archived := map[int64]bool{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range ids {
			id := ids[n-1-i]
			archived[id] = Do(x.ctx, other, workqueue.Archive, id, "not needed") == nil
		}
	})
	claimed := map[int64]bool{}
	for {
		got := x.claim(w, 3)
		for _, it := range got {
			claimed[it.ID] = true
		}
		if len(got) == 0 {
			break
		}
	}
	wg.Wait()
	for _, id := range ids {
		if archived[id] && claimed[id] {
			x.Errorf("item %d was both archived and claimed", id)
		}
		switch {
		case archived[id]:
			x.wantState(workqueue.Cancelled, id)
		case claimed[id]:
			x.wantState(workqueue.Blocked, id)
		default:
			x.wantState(workqueue.Assigned, id) // its claim found it locked
		}
	}
}
