package runner_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// A large item that waits for room does not block a reserved slot for a high item.
func TestWaitingLargeItemLeavesReservedSlotFree(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		o := channelOptions(store, 3, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(20 * time.Minute)
			return workqueue.Outcome{}
		})
		o.Spec.ReservedSlots = 1
		r := start(t, o)
		enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat", Priority: 700})
		big := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600})[0]
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(10 * time.Minute)
		enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat", Priority: 650}) // takes the last slot that is not reserved
		time.Sleep(tick)
		high := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat", Priority: 1500})[0]
		time.Sleep(tick)
		if run := ran.started(); slices.Contains(run, big) || !slices.Contains(run, high) {
			t.Errorf("%v run, want the high item %d in the reserved slot, and the large item %d to wait", run, high, big)
		}
		if got := <-done; got.err != nil || got.Succeeded != 4 {
			t.Errorf("Execute = %+v, want 4 successes", got)
		}
	})
}

// The slots for which a large item has waited do not go to less urgent items that are already
// assigned to the worker.
func TestLargeItemStartsBeforeLessUrgentItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		chats := []time.Duration{10 * time.Minute, 10*time.Minute + 5*time.Second, time.Hour}
		r := start(t, channelOptions(store, 3, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			took := 20 * time.Minute
			if int(it.ID) <= len(chats) {
				took = chats[it.ID-1]
			}
			time.Sleep(took)
			return workqueue.Outcome{}
		}))
		first := enqueue(t, store, len(chats), workqueue.NewItem{IntegrationConfig: "chat", Priority: 700})
		big := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600})[0]
		lesser := enqueue(t, store, 2, workqueue.NewItem{IntegrationConfig: "chat", Priority: 500})
		p := assign.AssignParams{Horizon: 100 * time.Hour}
		assignTo(t, r, p)
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(11 * time.Minute)
		if run := ran.started(); len(run) != 4 || run[3] != big {
			t.Errorf("%v ran, want the chats %v, then the large item %d as soon as two slots are free", run, first, big)
		}
		if got := <-done; got.err != nil || got.Succeeded != 6 {
			t.Errorf("Execute = %+v, want 6 successes", got)
		}
		ran.wantOnce(t, append(append(first, big), lesser...))
	})
}

// With FreeSlots, less urgent items do not take each slot that becomes free while a large item
// waits for several slots.
func TestLargeItemStartsWithFreeSlotsMode(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		takes := []time.Duration{30 * time.Second} // the others take a minute, so no two items end together
		r := start(t, channelOptions(store, 2, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			if int(it.ID) <= len(takes) {
				time.Sleep(takes[it.ID-1])
			} else {
				time.Sleep(time.Minute)
			}
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 20, workqueue.NewItem{IntegrationConfig: "chat", Priority: 500})
		assignTo(t, r, assign.AssignParams{FreeSlots: true})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(10 * time.Second)
		big := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600})[0]
		time.Sleep(55 * time.Second)
		if run := ran.started(); len(run) > 4 || !slices.Contains(run, big) {
			t.Errorf("%v ran, want the large item %d as soon as two slots were free", run, big)
		}
		if got := <-done; got.err != nil || got.Succeeded != 21 {
			t.Errorf("Execute = %+v, want 21 successes", got)
		}
	})
}

// When a large item is cancelled, the slots that were kept for it are free for others.
func TestNoSlotIsKeptForCancelledLargeItem(t *testing.T) {
	for name, p := range map[string]assign.AssignParams{
		"items go to free slots only": {FreeSlots: true}, "items are planned ahead": {Horizon: 100 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				var ran runs
				r := start(t, channelOptions(store, 2, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
					ran.add(it.ID)
					if it.ID == 1 {
						time.Sleep(10 * time.Minute)
					} else {
						time.Sleep(time.Hour)
					}
					return workqueue.Outcome{}
				}))
				enqueue(t, store, 2, workqueue.NewItem{IntegrationConfig: "chat", Priority: 700})
				big := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600})[0]
				lesser := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat", Priority: 500})[0]
				assignTo(t, r, p)
				done := background(t, r, runner.ExecuteParams{Refill: true})
				time.Sleep(15 * time.Minute)
				if run := ran.started(); len(run) != 2 {
					t.Errorf("%v ran, want the slot of item 1 to be kept for the large item %d", run, big)
				}
				if _, err := store.ChangeItem(t.Context(), big, workqueue.Change{Action: workqueue.Cancel, Reason: "not wanted"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tick)
				if run := ran.started(); len(run) != 3 || run[2] != lesser {
					t.Errorf("%v ran, want item %d a minute after the large item was cancelled", run, lesser)
				}
				if got := <-done; got.err != nil || got.Succeeded != 3 {
					t.Errorf("Execute = %+v, want 3 successes", got)
				}
			})
		})
	}
}
