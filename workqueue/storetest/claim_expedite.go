package storetest

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// expedited are selectors that order an item before all others.
var expedited = []matching.Selector{{Key: "site", Operator: matching.NotEqual, Value: matching.Text("faro"), Expedite: true}}

// expedite assigns an item with expediting selectors. It is expedited if runOrder is
// expedited, and not if its selector had expired.
func (x *fixture) expedite(w workqueue.Worker, priority int, runOrder int64) int64 {
	x.Helper()
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{IntegrationConfig: Pipeline, Priority: priority, Selectors: expedited}})
	if err != nil {
		x.Fatal(err)
	}
	if n := x.write(workqueue.Assignment{ItemID: made[0].ID, WorkerID: w.ID, RunOrder: runOrder, Estimate: time.Second}); n != 1 {
		x.Fatalf("assigned %d items, want item %d", n, made[0].ID)
	}
	return made[0].ID
}

// claimExpedited: expedited items are claimed before more urgent ones, and within the band.
func claimExpedited(x *fixture) {
	const first = plan.ExpeditedBefore - 1000
	w := x.Worker(WorkerOpts{})
	plain := append(x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 2000}),
		x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w, Priority: 700})...)
	low := x.expedite(w, 100, first)
	later, sooner, urgent := x.expedite(w, 600, first+2), x.expedite(w, 600, first+1), x.expedite(w, 800, first+3)
	expired := x.expedite(w, 700, 5)
	last := x.expedite(w, 600, plan.ExpeditedBefore) // the lowest order that is not expedited
	rest := append(slices.Clone(plain), expired, last)

	other := x.Worker(WorkerOpts{})
	ofOther := x.expedite(other, 600, first)

	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		items, err := tx.AssignedItems(ctx, mediumBand, 10)
		var ids []int64
		for _, it := range items {
			if it.Holder == w.ID {
				ids = append(ids, it.ID)
			}
		}
		x.wantIDs("the assigned items", ids, append([]int64{urgent, sooner, later}, rest[2:]...))
		return err
	})

	claim := func(p workqueue.ClaimParams) []int64 {
		x.Helper()
		p.WorkerID, p.InstanceID, p.Lease = w.ID, w.InstanceID, leaseTime
		items, err := x.Store.Claim(x.ctx, p)
		if err != nil {
			x.Fatal(err)
		}
		return idsOf(items)
	}
	x.wantIDs("a claim of high items", claim(workqueue.ClaimParams{Band: highBand, Max: 1}), rest[:1])
	x.wantIDs("a claim of at most 500 ms of waiting work", claim(workqueue.ClaimParams{Band: mediumBand, Max: 5, Begin: 1, Work: 500 * time.Millisecond}), []int64{urgent})
	x.wantIDs("a claim of all", claim(workqueue.ClaimParams{Band: workqueue.EveryPriority, Max: 2}), []int64{sooner, later})
	x.wantIDs("the next claim", claim(workqueue.ClaimParams{Band: workqueue.EveryPriority, Max: 3}), []int64{low, rest[1], rest[2]})
	x.wantIDs("the last claim", claim(workqueue.ClaimParams{Band: workqueue.EveryPriority, Max: 9}), rest[3:])
	x.wantIDs("the claim of the other worker", idsOf(x.claim(other, 9)), []int64{ofOther})
}
