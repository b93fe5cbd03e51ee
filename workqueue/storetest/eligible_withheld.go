package storetest

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
)

// rescueWithheld: an assigned item that no claim starts would occupy its worker for as
// long as a queue is paused, so a pass releases it. Then it waits like any other item.
func rescueWithheld(x *fixture) {
	for _, o := range append(slices.Clone(withholding), forRobots) {
		x.withholdOne(o)
	}
}

func (x *fixture) withholdOne(o obstacle) {
	x.Helper()
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Assigned, Worker: w})
	x.wantSweepable(false, "assigned")
	x.wantRescue(workqueue.RescueResult{})
	x.change(o, o.set, w, it)
	x.wantSweepable(true, o.set)
	if got := x.rescue(); got.Released != 1 || got.Withheld != 1 || got.Waits() {
		x.Errorf("with %s: Rescue = %+v, want one item released that does not wait", o.set, got)
	}
	x.wantSweepable(false, "released")
	got := x.show(it.ID)
	if got.State != workqueue.Ready || got.WorkerID != nil || got.AssignedAt != nil || got.ReleaseCount != 0 || got.Fence != 0 || len(x.attempts(it.ID)) != 0 {
		x.Errorf("with %s the released item is %s", o.set, asJSON(got))
	}
	x.wantIDs("due with "+o.set, x.due(workqueue.EveryPriority, 10), nil)
	x.change(o, o.clear, w, it)
	x.wantIDs("due with "+o.clear, x.due(workqueue.EveryPriority, 10), []int64{it.ID})
	x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, it.ID)
}

// wantSweepable checks whether a pass finds items to release.
func (x *fixture) wantSweepable(want bool, of string) {
	x.Helper()
	got := false
	err := x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		got, err = view.NeedsSweep(ctx, 10*time.Minute)
		return err
	})
	if err != nil || got != want {
		x.Errorf("%s: Sweepable = %t, %v, want %t", of, got, err, want)
	}
}
