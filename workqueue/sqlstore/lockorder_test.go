package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

// A worker sends heartbeats for items while it writes their ends. A deadlock between the two
// costs seconds (PostgreSQL's deadlock_timeout, or an interval of SQL Server's monitor) in
// which neither leases nor results are written.
func TestBeatAndFinishNeverDeadlock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("a single writer cannot deadlock")
		}
		if e.Driver == database.Postgres {
			// A deadlock lasts until the test's timeout.
			t.Setenv("PGOPTIONS", "-c deadlock_timeout=1h")
		}
		store := e.Open(t, e.DSN(t))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		worker := oneWorker(ctx, t, store)
		for range 3 {
			held := claimMany(ctx, t, store, worker, 1000)
			var finishes []workqueue.Finish
			for _, ref := range slices.Backward(held) { // in the order in which they end, not in which they started
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
				finishAll(ctx, t, store, worker, batch)
			}
			close(written)
			beats.Wait()
		}
	})
}

// finishAll writes the ends, and again those whose rows a heartbeat held at that moment.
func finishAll(ctx context.Context, t *testing.T, store storetest.Store, worker workqueue.Worker, batch []workqueue.Finish) {
	t.Helper()
	for ctx.Err() == nil {
		lost, err := store.Finish(ctx, worker.ID, worker.InstanceID, batch)
		locked, isLocked := errors.AsType[*workqueue.LockedError](err)
		if err != nil && !isLocked || len(lost) > 0 {
			t.Errorf("Finish lost %v, %v", lost, err)
		}
		if !isLocked {
			return
		}
		batch = slices.DeleteFunc(slices.Clone(batch), func(f workqueue.Finish) bool { return !slices.Contains(locked.Items, f.ItemID) })
	}
	t.Error("the ends are not written")
}

// claimMany inserts items and lets the worker claim them.
func claimMany(ctx context.Context, t *testing.T, store storetest.Store, worker workqueue.Worker, n int) []workqueue.ItemRef {
	t.Helper()
	items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", State: workqueue.Pending, Priority: 1000}}, n)
	if _, err := store.Enqueue(ctx, items); err != nil {
		t.Fatal(err)
	}
	pass := assign.AssignParams{Horizon: 24 * time.Hour, Workers: assign.AvailableWorkers}
	if _, err := assign.AssignPass(ctx, store, pass); err != nil {
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

// A pass rescues stale items and then assigns waiting items, in one transaction. A heartbeat
// that still names released items must neither lock them meanwhile nor wait for the pass.
func TestPassAndBeatOfLostItemsNeverDeadlock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("a single writer cannot deadlock")
		}
		if e.Driver == database.Postgres {
			t.Setenv("PGOPTIONS", "-c deadlock_timeout=1h")
		}
		dsn := e.DSN(t)
		store, byHand := e.Open(t, dsn), e.SQL(t, dsn)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		worker := oneWorker(ctx, t, store)
		held := claimMany(ctx, t, store, worker, 2)
		slices.SortFunc(held, func(a, b workqueue.ItemRef) int { return int(a.ItemID - b.ItemID) })
		finishAll(ctx, t, store, worker, []workqueue.Finish{{ItemID: held[0].ItemID, Fence: held[0].Fence, State: workqueue.Ready}})
		if _, err := byHand.ExecContext(ctx, fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, held[1].ItemID)); err != nil {
			t.Fatal(err)
		}
		beat := func(when string, want []int64) {
			t.Helper()
			result, err := store.Beat(ctx, workqueue.BeatParams{WorkerID: worker.ID, InstanceID: "i", Lease: time.Hour, Held: held})
			if err != nil || !slices.Equal(result.Lost, want) {
				t.Errorf("a heartbeat %s lost %v, %v; want %v", when, result.Lost, err, want)
			}
		}
		err := store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			if _, err := tx.Rescue(ctx, time.Hour); err != nil {
				return err
			}
			beat("during the pass", []int64{held[0].ItemID})
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: held[0].ItemID, WorkerID: worker.ID}, {ItemID: held[1].ItemID, WorkerID: worker.ID}})
			return err
		})
		if err != nil {
			t.Errorf("Assign: %v", err)
		}
		beat("after the pass", []int64{held[0].ItemID, held[1].ItemID})
	})
}

// oneWorker registers a worker with the instance "i".
func oneWorker(ctx context.Context, t *testing.T, store storetest.Store) workqueue.Worker {
	t.Helper()
	worker, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
		Name: "w", InstanceID: "i", Host: "h", Version: "v", Capacity: 1, Lease: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return worker
}
