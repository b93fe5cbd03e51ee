package runner_test

import (
	"context"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

func TestDurationStartsWithRunNotClaim(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		const length = 100 * time.Millisecond
		r := start(t, options(store, "ann", sleepFor(length)))
		ids := enqueue(t, store, 8, workqueue.NewItem{Estimate: time.Millisecond})
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		for _, id := range ids {
			it := wantItem(t, store, id, workqueue.Processed, 0)
			if took := it.FinishedAt.Sub(*it.StartedAt); took != length || !it.FirstStartedAt.Equal(*it.StartedAt) {
				t.Errorf("item %d ran from %s to %s (%s), and first started at %s; want %s and one attempt",
					id, it.StartedAt, it.FinishedAt, took, it.FirstStartedAt, length)
			}
		}
		all, err := store.Statistics(t.Context(), workqueue.DefaultQueue)
		if err != nil {
			t.Fatal(err)
		}
		windows := all[0].Windows
		if mean := windows[len(windows)-1].MeanDuration; mean == nil || time.Duration(*mean) != length {
			t.Errorf("the mean duration is %v, want %s", mean, length)
		}
	})
}

func TestAttemptDurationIsRunDuration(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		const length = 100 * time.Millisecond
		r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(length)
			return workqueue.Outcome{Verdict: workqueue.Failed, Error: "no such host"}
		}))
		ids := enqueue(t, store, 8, workqueue.NewItem{Estimate: time.Millisecond, ResilienceConfig: `{"limit": 1}`})
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		for _, id := range ids {
			attempts, err := store.Attempts(t.Context(), id)
			if err != nil || len(attempts) != 1 {
				t.Fatalf("attempts = %v, %v, want one", attempts, err)
			}
			if took := attempts[0].FinishedAt.Sub(*attempts[0].StartedAt); took != length {
				t.Errorf("the attempt of item %d took %s, want %s", id, took, length)
			}
		}
	})
}

// When a worker dies, one item runs, and others may be claimed ahead.
func TestWorkerDeathCountsOnlyForStartedItems(t *testing.T) {
	for name, estimate := range map[string]time.Duration{
		"recorded by the heartbeat":    time.Millisecond,
		"recorded before a long run":   time.Minute,
		"recorded before any estimate": 0,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				faulty := &faultStore{Store: store}
				quick := 3
				ann := start(t, options(faulty, "ann", func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
					if quick--; quick >= 0 {
						time.Sleep(time.Millisecond)
						return workqueue.Outcome{}
					}
					return sleepFor(3*lease)(ctx, it)
				}))
				ids := enqueue(t, store, 9, workqueue.NewItem{Estimate: estimate})
				assignTo(t, ann, assign.AssignParams{})
				done := background(t, ann, runner.ExecuteParams{})
				time.Sleep(heartbeat + time.Second)
				running := wantItem(t, store, ids[3], workqueue.Blocked, 0)
				faulty.set(faults{always: errDown})
				time.Sleep(lease + time.Second)
				bob := start(t, options(store, "bob", succeed))
				assignTo(t, bob, assign.AssignParams{})
				for _, id := range ids[3:] {
					want := 0
					if id == running.ID {
						want = 1
					}
					if it := item(t, store, id); it.ReleaseCount != want {
						t.Errorf("item %d is counted as the cause of %d deaths, want %d", id, it.ReleaseCount, want)
					}
				}
				execute(t, bob, runner.ExecuteParams{})
				faulty.set(faults{})
				<-done
			})
		})
	}
}

func TestItemsOfPausedQueueAreReleased(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		_, ids, done := busyAfter(t, store, quick, 4, sleepFor(500*time.Millisecond), nil)
		wantItem(t, store, ids[3], workqueue.Blocked, 0) // claimed ahead
		if _, err := store.PauseQueue(t.Context(), workqueue.DefaultQueue); err != nil {
			t.Fatal(err)
		}
		if got := <-done; got.err != nil || got.ExecuteResult != (runner.ExecuteResult{Succeeded: quick + 2}) {
			t.Errorf("Execute = %+v, want the successes from before the pause", got)
		}
		for _, id := range ids[2:] {
			it := wantItem(t, store, id, workqueue.Ready, 0)
			attempts, err := store.Attempts(t.Context(), id)
			if err != nil || len(attempts) != 0 || it.StartedAt != nil || it.ReleaseCount != 0 {
				t.Errorf("item %d started at %v, with %d attempts; want no start", id, it.StartedAt, len(attempts))
			}
		}
	})
}
