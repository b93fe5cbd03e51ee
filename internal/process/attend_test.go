package process_test

import (
	"context"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// The low pipeline's next tick is hours away. Items that a dead worker left do not wait for it.
func TestStrandedItemsRunBeforeTheNextTick(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newFixture(t, e)
		b := x.newOptions("w")
		b.Spec.Lease, b.Heartbeat = 3*time.Second, time.Second
		p := x.new(b)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.awaitStart(t) // nothing to do
		running := x.abandonedItem("a", workqueue.Blocked, 100)
		assigned := x.abandonedItem("b", workqueue.Assigned, 200)
		started := b.log.await(t, "started early: found abandoned items")
		if started["pipeline"] != low && started["pipeline"] != medium {
			t.Errorf("started %v, want one of the shipped pipelines", started)
		}
		b.log.awaitNth(t, "item succeeded", 2)
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.wantState(workqueue.Processed, running, assigned)
		if it := x.item(running); it.ReleaseCount != 1 || it.RetryCount != 0 {
			t.Errorf("item %d: %d releases, %d failures; want one release because of its dead worker", running, it.ReleaseCount, it.RetryCount)
		}
		runs, err := x.store.Runs(t.Context(), workqueue.RunFilter{Pipeline: low, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var triggers []string
		for _, r := range runs {
			triggers = append(triggers, r.Trigger)
		}
		if triggers[0] != "stranded" {
			t.Errorf("the runs of %s, latest first, were started by %q; want the latest by abandoned items", low, triggers)
		}
	})
}

// abandonedItem creates an item that a worker held when it died. The worker's lease lasts until it
// holds the item, so that no other worker frees the item before the claim.
func (x *fixture) abandonedItem(worker string, state workqueue.State, priority int) int64 {
	x.Helper()
	const soon = time.Millisecond
	id := x.enqueue(workqueue.NewItem{Priority: priority})
	w, err := x.store.RegisterWorker(x.Context(), workqueue.WorkerSpec{Name: worker, InstanceID: worker, Host: "gone", Capacity: 1, Lease: time.Minute})
	if err != nil {
		x.Fatal(err)
	}
	err = x.store.Assign(x.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: w.ID}})
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	var held []workqueue.ItemRef
	if state == workqueue.Blocked {
		claimed, err := x.store.Claim(x.Context(), workqueue.ClaimParams{
			WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute,
		})
		if err != nil || len(claimed) != 1 {
			x.Fatalf("worker %s claimed %d items, %v; want the one assigned item", worker, len(claimed), err)
		}
		x.recordStart(w, claimed[0])
		held = []workqueue.ItemRef{{ItemID: id, Fence: claimed[0].Fence}}
	}
	if _, err := x.store.Beat(x.Context(), workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: soon, Held: held}); err != nil {
		x.Fatal(err)
	}
	return id
}

// recordStart records that the run of a claimed item has started.
func (x *fixture) recordStart(w workqueue.Worker, it workqueue.Item) {
	x.Helper()
	refused, err := x.store.Begin(x.Context(), workqueue.BeginParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Items: []workqueue.ItemRef{{ItemID: it.ID, Fence: it.Fence}},
	})
	if err != nil || len(refused) > 0 {
		x.Fatalf("Begin of item %d refused %v, %v", it.ID, refused, err)
	}
}
