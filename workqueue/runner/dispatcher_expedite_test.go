package runner_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// expediteOn returns selectors that expedite an item on a worker.
func expediteOn(worker string) []matching.Selector {
	return []matching.Selector{{Key: "Name", Operator: matching.Equal, Value: matching.Text(worker), Expedite: true}}
}

// More urgent items have been assigned to a busy worker when an expedited one becomes due:
// it is the next to start.
func TestExpeditedItemOvertakesAssignedItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(10 * time.Minute)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 1, workqueue.NewItem{Priority: 700})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(time.Minute)
		var assigned []int64
		for _, priority := range []int{2000, 1500} {
			id := enqueue(t, store, 1, workqueue.NewItem{Priority: priority})[0]
			if err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
				_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: r.Worker().ID}})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			assigned = append(assigned, id)
		}
		expedited := enqueue(t, store, 1, workqueue.NewItem{Priority: 600, Selectors: expediteOn("ann"), In: 2 * time.Minute})
		time.Sleep(3 * time.Minute)
		assignTo(t, r, assign.AssignParams{})
		<-done
		if want := append(expedited, assigned...); !slices.Equal(ran.started()[1:], want) {
			t.Errorf("after the first item, %v ran, want the expedited item, then the more urgent ones: %v", ran.started()[1:], want)
		}
	})
}

// An expedited item waits while only a reserved slot is free. A high item that is enqueued then
// uses the reserved slot at once.
func TestHighItemOvertakesWaitingExpeditedItem(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		diary := newRunTimes()
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			diary.run(it.ID, 10*time.Minute)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity, o.Spec.ReservedSlots = 2, 1
		r := start(t, o)
		enqueue(t, store, 1, workqueue.NewItem{Priority: 700})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(time.Minute)
		expedited := enqueue(t, store, 1, workqueue.NewItem{Priority: 600, Selectors: expediteOn("ann")})[0]
		medium := enqueue(t, store, 1, workqueue.NewItem{Priority: 900})[0]
		assignTo(t, r, assign.AssignParams{})
		time.Sleep(time.Minute)
		if !diary.start(expedited).IsZero() {
			t.Error("the expedited item runs in the reserved slot")
		}
		high := enqueue(t, store, 1, workqueue.NewItem{Priority: 1001})[0]
		assignTo(t, r, assign.AssignParams{})
		time.Sleep(tick)
		if diary.start(high).IsZero() {
			t.Error("the high item has not started within a tick although a slot is reserved for it")
		}
		<-done
		if first, second := diary.start(expedited), diary.start(medium); first.IsZero() || !first.Before(second) {
			t.Errorf("the expedited item started at %s, the medium one at %s, want the expedited one first", first, second)
		}
	})
}

// A large expedited item is released while there is no room for it. Small items that are more
// urgent do not use the slots for which it waits.
func TestLargeExpeditedItemIsNotStarved(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, channelOptions(store, 2, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Duration(1+it.ID) * time.Minute)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 2, workqueue.NewItem{IntegrationConfig: "chat", Priority: 700})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(time.Minute)
		voice := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600, Selectors: expediteOn("ann")})[0]
		enqueue(t, store, 6, workqueue.NewItem{IntegrationConfig: "chat", Priority: 900})
		assignTo(t, r, assign.AssignParams{})
		<-done
		if got := ran.started(); len(got) != 9 || got[2] != voice {
			t.Errorf("ran %v, want item %d third", got, voice)
		}
	})
}
