package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

func poisonTests() []test {
	return []test{
		{"the fifth worker that dies with an item", poisonFifth},
		{"the limit is the caller's", poisonLimit},
		{"releases before the start do not count", poisonAssigned},
	}
}

func poisonFifth(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	for death := 1; death <= 5; death++ {
		x.wantState(workqueue.Ready, id)
		x.Assign(w, id)
		x.claim(w, 1)
		x.expire(id)
		want := workqueue.RescueResult{Rescued: 1}
		if death == 5 {
			want.Poisoned = 1
		}
		x.wantRescue(want)
	}
	got := x.show(id)
	if got.State != workqueue.Cancelled || got.ReleaseCount != 5 || got.RetryCount != 0 || got.LeaseExpiresAt != nil ||
		deref(got.ErrorKind) != "poison" || !strings.Contains(deref(got.Error), "poison") || deref(got.WorkerID) != deref(&w.ID) {
		x.Errorf("after 5 deaths the item is %s, want it cancelled as poison, without a counted failure", asJSON(got))
	}
	x.wantClean("FinishedAt", got.FinishedAt)
	attempts := x.attempts(id)
	if len(attempts) != 5 {
		x.Fatalf("%d attempts, want 5", len(attempts))
	}
	for n, a := range attempts {
		if a.Outcome != "rescued" || a.Fence != int64(n+1) {
			x.Errorf("attempt %d is %s, want rescued with fence %d", n+1, asJSON(a), n+1)
		}
	}
	// A person may give it another life.
	if err := Do(x.ctx, x.Store, workqueue.Repeat, id, ""); err != nil {
		x.Fatal(err)
	}
	if got := x.show(id); got.ReleaseCount != 0 || got.ErrorKind != nil {
		x.Errorf("the repeated item is %s, want it clean", asJSON(got))
	}
}

func poisonLimit(x *fixture) {
	w := x.Worker(WorkerOpts{})
	first := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.expire(first.ID)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		got, err := tx.Rescue(ctx, workqueue.RescueParams{AssignedFor: time.Hour, MaxReleases: 1})
		if want := (workqueue.RescueResult{Rescued: 1, Poisoned: 1}); got != want {
			return fmt.Errorf("rescue = %+v, want %+v (error %w)", got, want, err)
		}
		return err
	})
	x.wantState(workqueue.Cancelled, first.ID)
}

func poisonAssigned(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	for range 7 {
		x.Assign(w, id)
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = NULL WHERE "Id" = %d`, id)
		x.wantRescue(workqueue.RescueResult{Released: 1})
	}
	if got := x.show(id); got.State != workqueue.Ready || got.ReleaseCount != 0 {
		x.Errorf("the item is %s, want it Ready and never released by a death", asJSON(got))
	}
}
