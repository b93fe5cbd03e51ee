package storetest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// heldItems are listed in the order in which workers start them, with the fields that a
// forecast needs.
func heldItems(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "9")
	a, b := x.whyWorker("a", 2, nil), x.whyWorker("b", 2, nil)
	ran := x.Item(ItemOpts{State: workqueue.Blocked, Worker: a, Queue: "erp", LimitKey: "acme", Priority: 700, Estimate: time.Minute})
	low := x.Item(ItemOpts{State: workqueue.Assigned, Worker: b, Priority: 100})
	late := x.Item(ItemOpts{State: workqueue.Assigned, Worker: a, Priority: 900, Estimate: 2 * time.Second})
	soon := x.Item(ItemOpts{State: workqueue.Assigned, Worker: a, Priority: 900})
	x.Item(ItemOpts{Priority: 2000}) // no worker holds it
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "RunOrder" = 5, "Channel" = 'film' WHERE "Id" = %d`, late.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "RunOrder" = 4 WHERE "Id" = %d`, soon.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "FinishBy" = "StartedAt" WHERE "Id" = %d`, ran.ID)
	read := func(limit int) (list []workqueue.HeldItem) {
		err := x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
			list, err = view.HeldItems(ctx, limit)
			return err
		})
		if err != nil {
			x.Fatal(err)
		}
		return list
	}
	type held struct {
		ID, Holder      int64
		Running         bool
		Estimate        time.Duration
		Queue, LimitKey string
		RunOrder        int64
		Channel         string
	}
	var got []held
	for _, h := range read(10) {
		since := x.show(h.ID).AssignedAt
		if h.Running {
			since = x.show(h.ID).StartedAt
		}
		if finish := x.show(h.ID).FinishBy; h.Running && !finish.Equal(h.FinishBy) || !h.Running && !h.FinishBy.IsZero() {
			x.Errorf("item %d has to finish by %v, want %v", h.ID, h.FinishBy, finish)
		}
		if since == nil || !h.Since.Equal(*since) {
			x.Errorf("item %d is held since %v, want %v", h.ID, h.Since, since)
		}
		got = append(got, held{h.ID, h.Holder, h.Running, h.Estimate, h.Queue, h.LimitKey, h.RunOrder, h.Channel})
	}
	want := []held{
		{ID: soon.ID, Holder: a.ID, RunOrder: 4},
		{ID: late.ID, Holder: a.ID, Estimate: 2 * time.Second, RunOrder: 5, Channel: "film"},
		{ID: low.ID, Holder: b.ID},
		{ID: ran.ID, Holder: a.ID, Running: true, Estimate: time.Minute, Queue: "erp", LimitKey: "acme"},
	}
	byState := func(list []held) (all []held) {
		for _, running := range []bool{false, true} {
			for _, h := range list {
				if h.Running == running {
					all = append(all, h)
				}
			}
		}
		return all
	}
	if diff := cmp.Diff(want, byState(got)); diff != "" {
		x.Errorf("held items (-want +got):\n%s", diff)
	}
	if list := read(1); len(list) != 2 {
		x.Errorf("%d items with a limit of 1, want one of each state: %+v", len(list), list)
	}
}
