package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

// sameOnce makes the same call several times, first one after the other and then at once, and fails
// unless all return the same ids. Each round has a part of its own. It returns the ids of both.
func (x *fixture) sameOnce(call func(part workqueue.BatchPart) ([]int64, error)) []int64 {
	x.Helper()
	var ids []int64
	for _, together := range []bool{false, true} {
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		all := make([][]int64, 4)
		var group sync.WaitGroup
		for i := range all {
			one := func() {
				var err error
				if all[i], err = call(part); err != nil || len(all[i]) == 0 {
					x.Errorf("call %d: %v, %v", i, all[i], err)
				}
			}
			if together {
				group.Go(one)
			} else {
				one()
			}
		}
		group.Wait()
		for _, got := range all {
			if !slices.Equal(got, all[0]) {
				x.Errorf("got %v and %v, want the same ids", got, all[0])
			}
		}
		ids = append(ids, all[0]...)
	}
	return ids
}

func batchOfRobot(x *fixture) {
	x.robots(nil)
	before := x.countForms()
	items := []workqueue.NewItem{form(1), form(2)}
	for _, take := range []*workqueue.CheckoutOnEnqueue{nil, {Lease: time.Hour}} {
		var taken int
		var counting sync.Mutex
		ids := x.sameOnce(func(part workqueue.BatchPart) ([]int64, error) {
			made, err := x.Store.RobotEnqueue(x.ctx, ann, part, items, take)
			counting.Lock()
			defer counting.Unlock()
			taken += len(made.Checkout.Items)
			return workqueue.IDs(made.Items), err
		})
		if take == nil && taken != 0 || take != nil && taken != len(ids) {
			x.Errorf("%d items are checked out, want each of %v once if at all", taken, ids)
		}
		before += 4
		if n := x.countForms(); n != before {
			x.Errorf("there are %d forms, want %d", n, before)
		}
	}
	part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
	if _, err := x.Store.RobotEnqueue(x.ctx, ann, part, items, nil); err != nil {
		x.Fatal(err)
	}
	var mismatch *workqueue.BatchMismatchError
	if made, err := x.Store.RobotEnqueue(x.ctx, ann, part, items[:1], nil); !errors.As(err, &mismatch) {
		x.Errorf("other items with the same part: %v, %v, want a *BatchMismatchError", made, err)
	}
}

func batchOfTask(x *fixture) {
	x.exec(1, `INSERT INTO "BotTasks" ("Name", "Pipeline", "Active") VALUES ('books', 'Work', '0')`)
	var items []workqueue.ScopedItem
	for _, scope := range []string{"lisbon", "porto"} {
		it := window("books", scope).ScopedItem
		it.Item.State, it.Item.Deadline = workqueue.Pending, time.Time{}
		items = append(items, it)
	}
	ids := x.sameOnce(func(part workqueue.BatchPart) ([]int64, error) { return x.Store.RunTask(x.ctx, "books", part, items) })
	if n := len(x.list(workqueue.ItemFilter{})); n != 4 || len(ids) != 4 {
		x.Errorf("%d items exist with the ids %v, want 4", n, ids)
	}
}

func batchOfRequest(x *fixture) {
	x.Worker(WorkerOpts{})
	ids := x.sameOnce(func(part workqueue.BatchPart) ([]int64, error) {
		return x.Store.RequestRuns(x.ctx, workqueue.NewRunRequests{Pipeline: "Nightly", By: "ann", Within: time.Hour, Batch: part})
	})
	all, err := x.Store.RunRequests(x.ctx, workqueue.RequestFilter{Limit: 100})
	if err != nil || len(all) != 2 || len(ids) != 2 {
		x.Errorf("there are %d requests, %v, with the ids %v; want 2", len(all), err, ids)
	}
	if records := x.batch("none-of-these"); records != nil {
		x.Errorf("an unknown batch has %v", records)
	}
}
