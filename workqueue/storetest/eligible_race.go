package storetest

import (
	"context"
	"sync"
	"time"

	"botwork/workqueue"
)

// Four runners plan the same items without the lock. Each item fails or snoozes for an
// hour when it runs. Two of the runners write each plan only after another runner has
// finished items since. Regardless of the plans, each item runs once in that hour.
func eligibleRace(x *fixture) {
	const items, each = 600, 2 // each: quick runners, and as many late ones
	ids := x.Items(items, ItemOpts{})
	ended, over := make(chan struct{}), make(chan struct{})
	var planned, quick, late sync.WaitGroup // planned: the late runners have a plan
	planned.Add(each)
	var mu sync.Mutex
	runs := map[int64]int{}
	race := func(r racer, plans func(), ends func()) {
		for {
			plan, err := r.plan()
			plans()
			var ran []workqueue.Item
			if err == nil {
				ran, err = r.run(plan)
			}
			if err != nil {
				x.Errorf("%s: %v", r.worker.Name, err)
			}
			mu.Lock()
			for _, it := range ran {
				runs[it.ID]++
			}
			mu.Unlock()
			if err != nil || len(plan) == 0 {
				return
			}
			ends()
		}
	}
	for n := range each {
		newRacer := func() racer {
			return racer{fixture: x, store: x.Another(x.T), worker: x.Worker(WorkerOpts{}), assigns: n%2 == 0}
		}
		fast, slow := newRacer(), newRacer()
		quick.Go(func() {
			race(fast, planned.Wait, func() {
				select {
				case ended <- struct{}{}:
				default: // no late runner waits
				}
			})
		})
		late.Go(func() {
			first := sync.OnceFunc(planned.Done)
			race(slow, func() {
				first()
				select {
				case <-ended:
				case <-over:
				}
			}, func() {})
		})
	}
	quick.Wait()
	close(over)
	late.Wait()
	checkOnce(x.T, runs, items)
	for _, id := range ids {
		it := x.show(id)
		if it.State != workqueue.Ready || it.Fence != 1 || it.AvailableAt.Sub(it.CreatedAt) < time.Hour {
			x.Fatalf("after its run the item is %s", asJSON(it))
		}
	}
}

// racer is one of the runners. It either assigns items and then claims them, or takes
// them like a worker that assigns to itself, which does not count as a pass.
type racer struct {
	*fixture
	store   Store
	worker  workqueue.Worker
	assigns bool
}

// plan assigns the most urgent items to its worker.
func (r *racer) plan() (plan []workqueue.Assignment, err error) {
	err = r.store.ReadUnlocked(r.ctx, func(ctx context.Context, view workqueue.AssignView) error {
		due, err := view.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 40)
		plan = nil
		for _, d := range due {
			plan = append(plan, workqueue.Assignment{ItemID: d.ID, WorkerID: r.worker.ID})
		}
		return err
	})
	return plan, err
}

// run starts the planned items, and finishes those that it started: every other item fails.
func (r *racer) run(plan []workqueue.Assignment) (ran []workqueue.Item, err error) {
	err = r.store.Assign(r.ctx, func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		if r.assigns {
			_, err = tx.Write(ctx, plan)
			return err
		}
		ran, err = tx.AssignAndClaim(ctx, plan, workqueue.PassClaim{WorkerID: r.worker.ID, InstanceID: r.worker.InstanceID, Lease: leaseTime, Max: len(plan)})
		return err
	})
	if err == nil && r.assigns {
		ran, err = r.store.Claim(r.ctx, claimParams(r.worker, max(len(plan), 1)))
	}
	if err != nil || len(ran) == 0 {
		return nil, err
	}
	ends := make([]workqueue.Finish, len(ran))
	for i, it := range ran {
		ends[i] = workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, Delay: time.Hour}
		if it.ID%2 == 0 {
			ends[i] = failure(it, workqueue.Ready)
			ends[i].Delay = time.Hour
		}
	}
	_, err = r.store.Finish(r.ctx, r.worker.ID, r.worker.InstanceID, ends)
	return ran, err
}
