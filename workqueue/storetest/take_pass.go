package storetest

import (
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// passes returns the number of passes that have written.
func (x *fixture) passes() (n int64) {
	x.Helper()
	err := x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) error {
		m, err := view.PassState(ctx)
		n = m.Passes
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return n
}

// takePass lets a worker take items of the default priority in a pass that only takes items.
func (x *fixture) takePass(w workqueue.Worker, passes int64, ids ...int64) ([]workqueue.Item, bool) {
	x.Helper()
	items, done, err := x.tryTakePass(w, passes, ids...)
	if err != nil {
		x.Fatal(err)
	}
	return items, done
}

func (x *fixture) tryTakePass(w workqueue.Worker, passes int64, ids ...int64) ([]workqueue.Item, bool, error) {
	var list []workqueue.Assignment
	for _, id := range ids {
		list = append(list, workqueue.Assignment{ItemID: id, WorkerID: w.ID, RunOrder: 5})
	}
	claimed, done, err := x.Store.ClaimPass(x.ctx, passes, list, workqueue.PassClaim{
		WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Max: len(list), Within: leaseTime,
	})
	if err != nil {
		return nil, false, err
	}
	items, err := claimed.Items(x.ctx)
	if err == nil && len(items) != claimed.Len() {
		err = fmt.Errorf("claimed %d items and read %d of them", claimed.Len(), len(items))
	}
	return items, done, err
}

// takePassWrites: a pass that only takes items takes the same as AssignAndClaim, and counts as a pass.
func takePassWrites(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(3, ItemOpts{Payload: `{"a": 1}`})
	running := x.Item(ItemOpts{State: workqueue.Blocked}).ID
	passes := x.passes()
	got, done := x.takePass(w, passes, append([]int64{running}, ids...)...)
	if !done || x.passes() != passes+1 {
		x.Errorf("done %t, passes %d, want true, %d", done, x.passes(), passes+1)
	}
	x.wantIDs("taken", idsOf(got), ids)
	for _, it := range got {
		if it.State != workqueue.Blocked || it.RunOrder != 5 || *it.WorkerID != w.ID || it.Fence != 1 || it.Payload != `{"a": 1}` {
			x.Errorf("the taken item is %s", asJSON(it))
		}
		x.wantSame(it)
	}
}

// takePassOvertaken: if another pass has written since, this pass writes nothing.
func takePassOvertaken(x *fixture) {
	w := x.Worker(WorkerOpts{})
	first, second := x.Item(ItemOpts{}), x.Item(ItemOpts{})
	passes := x.passes()
	if _, done := x.takePass(w, passes, first.ID); !done {
		x.Fatal("the first pass was not done")
	}
	got, done := x.takePass(w, passes, second.ID)
	if len(got) != 0 || done || x.passes() != passes+1 {
		x.Errorf("took %v, done %t, passes %d; want nothing, false, %d", idsOf(got), done, x.passes(), passes+1)
	}
	x.wantSame(second)
}

// takePassContended: of several passes that were planned at the same time, one is done.
func takePassContended(x *fixture) {
	const many = 8
	w := x.Worker(WorkerOpts{})
	ids := x.Items(many, ItemOpts{})
	passes := x.passes()
	type result struct {
		items []workqueue.Item
		done  bool
		err   error
	}
	results := make(chan result, many)
	for _, id := range ids {
		go func() {
			items, done, err := x.tryTakePass(w, passes, id)
			results <- result{items, done, err}
		}()
	}
	var taken []int64
	for range many {
		switch r := <-results; {
		case r.err != nil:
			x.Error(r.err)
		case r.done:
			taken = append(taken, idsOf(r.items)...)
		case len(r.items) > 0:
			x.Errorf("took %v and was not done", idsOf(r.items))
		}
	}
	if len(taken) != 1 || !slices.Contains(ids, taken[0]) || x.passes() != passes+1 {
		x.Errorf("taken = %v, passes %d; want one item, %d", taken, x.passes(), passes+1)
	}
}

// takePassRefused: a worker that may not claim takes no items.
func takePassRefused(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Id" = %d`, w.ID)
	if got, _ := x.takePass(w, x.passes(), it.ID); len(got) != 0 {
		x.Errorf("a draining worker took %v, want none", idsOf(got))
	}
	x.wantSame(it)
}
