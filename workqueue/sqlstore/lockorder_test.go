package sqlstore_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// A worker beats while it writes the ends of what it beats for. Each deadlock
// of the two costs seconds, PostgreSQL's deadlock_timeout or the rounds of SQL
// Server's monitor, in which neither leases nor results are written.
func TestBeatAndFinishNeverDeadlock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("a single writer has nobody to deadlock with")
		}
		if e.Driver == database.Postgres {
			// Whoever is caught in a deadlock stays in it until the test's time is over.
			t.Setenv("PGOPTIONS", "-c deadlock_timeout=1h")
		}
		store := e.Open(t, e.DSN(t))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		worker, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
			Name: "w", InstanceID: "i", Host: "h", Version: "v", Capacity: 1, Lease: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			held := claimMany(ctx, t, store, worker, 1000)
			var finishes []workqueue.Finish
			for _, ref := range slices.Backward(held) { // as they end, and not as they began
				finishes = append(finishes, workqueue.Finish{ItemID: ref.ItemID, Fence: ref.Fence, State: workqueue.Processed})
			}
			written := make(chan struct{})
			var beats sync.WaitGroup
			beats.Go(func() {
				for done := false; !done; {
					if _, err := store.Beat(ctx, workqueue.BeatParams{WorkerID: worker.ID, InstanceID: "i", Lease: time.Hour, Held: held}); err != nil {
						t.Errorf("Beat: %v", err)
						return
					}
					select {
					case <-written:
						done = true
					default:
					}
				}
			})
			for batch := range slices.Chunk(finishes, 100) {
				if lost, err := store.Finish(ctx, worker.ID, worker.InstanceID, batch); err != nil || len(lost) > 0 {
					t.Errorf("Finish lost %v, %v", lost, err)
				}
			}
			close(written)
			beats.Wait()
		}
	})
}

// claimMany makes items and lets the worker claim them.
func claimMany(ctx context.Context, t *testing.T, store workqueue.Store, worker workqueue.Worker, n int) []workqueue.ItemRef {
	t.Helper()
	items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", State: workqueue.Pending, Priority: 1000}}, n)
	if _, err := store.Enqueue(ctx, items); err != nil {
		t.Fatal(err)
	}
	pass := workqueue.AssignParams{Horizon: 24 * time.Hour, Workers: workqueue.AvailableWorkers}
	if _, err := workqueue.AssignPass(ctx, store, pass); err != nil {
		t.Fatal(err)
	}
	claimed, err := store.Claim(ctx, workqueue.ClaimParams{
		WorkerID: worker.ID, InstanceID: worker.InstanceID, Band: workqueue.EveryPriority, Max: n, Lease: time.Hour,
	})
	if err != nil || len(claimed) != n {
		t.Fatalf("Claim = %d items, %v, want %d", len(claimed), err, n)
	}
	refs := make([]workqueue.ItemRef, n)
	for i, it := range claimed {
		refs[i] = workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
	}
	return refs
}
