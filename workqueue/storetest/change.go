package storetest

import (
	"errors"
	"strings"

	"botwork/workqueue"
)

func changeTests() []test {
	return []test{
		{"cancel", changeCancel},
		{"repeat", changeRepeat},
		{"delete", changeDelete},
		{"an item that is not there", changeMissing},
		{"a deleted row is left alone", changeDeleted},
		{"a cancelled item is nobody's", changeCancelledIsNobodys},
		{"a repeated item runs again", changeRepeatedRuns},
	}
}

// eachState makes an item of every state, changes it, and checks that the
// change is refused without a trace where the state is not among allowed.
func (x *fixture) eachState(verb string, change func(id int64) error, changed func(before workqueue.Item), allowed ...workqueue.State) {
	x.Helper()
	may := map[workqueue.State]bool{}
	for _, s := range allowed {
		may[s] = true
	}
	for _, state := range workqueue.States() {
		before := x.Item(ItemOpts{State: state})
		switch err := change(before.ID); {
		case !may[state]:
			x.wantTransition(err, before.ID, verb, state)
			x.wantSame(before)
		case err != nil:
			x.Errorf("%s of an item that is %s: %v", verb, state, err)
		default:
			changed(before)
		}
	}
}

func changeCancel(x *fixture) {
	x.eachState("cancel", func(id int64) error { return x.Store.CancelItem(x.ctx, id, "not wanted any more") },
		func(before workqueue.Item) {
			got := x.show(before.ID)
			x.wantClean("FinishedAt", got.FinishedAt)
			if got.State != workqueue.Cancelled || deref(got.Error) != "not wanted any more" || deref(got.ErrorKind) != "cancelled" {
				x.Errorf("the cancelled item is %s", asJSON(got))
			}
			if got.RetryCount != before.RetryCount || len(x.attempts(before.ID)) != 0 {
				x.Errorf("a cancelled item counts %d failures and %d attempts, want none", got.RetryCount, len(x.attempts(before.ID)))
			}
		}, workqueue.Ready, workqueue.Pending, workqueue.Assigned)
}

func changeRepeat(x *fixture) {
	x.eachState("repeat", func(id int64) error { return x.Store.RepeatItem(x.ctx, id) },
		func(before workqueue.Item) {
			got := x.show(before.ID)
			want := before
			want.State, want.AvailableAt = workqueue.Ready, got.AvailableAt
			want.RetryCount, want.ReleaseCount, want.WorkerID, want.Output, want.Error, want.ErrorKind = 0, 0, nil, "", nil, nil
			want.LeaseExpiresAt, want.AssignedAt, want.StartedAt, want.FinishedAt, want.FirstStartedAt = nil, nil, nil, nil, nil
			if asJSON(got) != asJSON(want) {
				x.Errorf("the repeated item is\n     %s\nwant %s", asJSON(got), asJSON(want))
			}
			if got.AvailableAt.Before(*before.FinishedAt) {
				x.Errorf("the repeated item is due at %s, before it ended at %s", got.AvailableAt, before.FinishedAt)
			}
		}, workqueue.Processed, workqueue.Cancelled)
}

func changeDelete(x *fixture) {
	x.eachState("delete", func(id int64) error { return x.Store.DeleteItem(x.ctx, id) },
		func(before workqueue.Item) {
			if _, err := x.Store.Item(x.ctx, before.ID); !errors.Is(err, workqueue.ErrNotFound) {
				x.Errorf("the deleted item %d: error %v, want ErrNotFound", before.ID, err)
			}
			if n := len(x.attempts(before.ID)); n != 0 {
				x.Errorf("%d attempts of the deleted item are left, want none", n)
			}
		}, workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Processed, workqueue.Cancelled)
}

func changeMissing(x *fixture) {
	for verb, change := range x.changes() {
		if err := change(4711); !errors.Is(err, workqueue.ErrNotFound) || !strings.Contains(err.Error(), "4711") {
			x.Errorf("%s of an item that is not there: %v, want ErrNotFound with the id", verb, err)
		}
	}
}

func changeDeleted(x *fixture) {
	for verb, change := range x.changes() {
		for _, state := range []workqueue.State{workqueue.Ready, workqueue.Processed} {
			it := x.Item(ItemOpts{State: state})
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
			before := x.show(it.ID)
			err := change(it.ID)
			x.wantTransition(err, it.ID, verb, state)
			if !strings.Contains(err.Error(), "deleted") {
				x.Errorf("%s: %q does not say that the item was deleted", verb, err)
			}
			x.wantSame(before)
		}
	}
}

func (x *fixture) changes() map[string]func(id int64) error {
	return map[string]func(id int64) error{
		"cancel": func(id int64) error { return x.Store.CancelItem(x.ctx, id, "why") },
		"repeat": func(id int64) error { return x.Store.RepeatItem(x.ctx, id) },
		"delete": func(id int64) error { return x.Store.DeleteItem(x.ctx, id) },
	}
}

func changeCancelledIsNobodys(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	if err := x.Store.CancelItem(x.ctx, it.ID, "why"); err != nil {
		x.Fatal(err)
	}
	if got := x.claim(w, 10); len(got) != 0 {
		x.Errorf("the worker claimed %v, want nothing", idsOf(got))
	}
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), nil)
}

// The fence goes on growing, so that a finish of the first life changes
// nothing in the second.
func changeRepeatedRuns(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Cancelled, Worker: w})
	if err := x.Store.RepeatItem(x.ctx, it.ID); err != nil {
		x.Fatal(err)
	}
	x.Assign(w, it.ID)
	claimed := x.claim(w, 1)
	if len(claimed) != 1 || claimed[0].Fence != it.Fence+1 || claimed[0].Attempt() != 1 {
		x.Fatalf("claimed %s, want the item with fence %d at its first attempt", asJSON(claimed), it.Fence+1)
	}
	x.wantIDs("lost", x.finish(w, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed}), []int64{it.ID})
	x.wantState(workqueue.Blocked, it.ID)
}
