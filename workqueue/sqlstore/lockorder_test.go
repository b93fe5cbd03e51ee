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
				if lost, err := store.Finish(ctx, worker.ID, worker.InstanceID, batch); err != nil || len(lost) > 0 {
					t.Errorf("Finish lost %v, %v", lost, err)
				}
			}
			close(written)
			beats.Wait()
		}
	})
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
// that still names released items must not lock them meanwhile.
func TestPassAndBeatOfLostItemsNeverDeadlock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("the test reads from PostgreSQL which session waits")
		}
		t.Setenv("PGOPTIONS", "-c deadlock_timeout=1h")
		dsn := e.DSN(t)
		store, byHand := e.Open(t, dsn), e.SQL(t, dsn)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		worker := oneWorker(ctx, t, store)
		held := claimMany(ctx, t, store, worker, 2)
		slices.SortFunc(held, func(a, b workqueue.ItemRef) int { return int(a.ItemID - b.ItemID) })
		back := workqueue.Finish{ItemID: held[0].ItemID, Fence: held[0].Fence, State: workqueue.Ready}
		if lost, err := store.Finish(ctx, worker.ID, worker.InstanceID, []workqueue.Finish{back}); err != nil || len(lost) > 0 {
			t.Fatalf("Finish lost %v, %v", lost, err)
		}
		if _, err := byHand.ExecContext(ctx, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "Id" = $1`, held[1].ItemID); err != nil {
			t.Fatal(err)
		}
		var beat sync.WaitGroup
		err := store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			if _, err := tx.Rescue(ctx, time.Hour); err != nil {
				return err
			}
			beat.Go(func() {
				result, err := store.Beat(ctx, workqueue.BeatParams{WorkerID: worker.ID, InstanceID: "i", Lease: time.Hour, Held: held})
				if err != nil || len(result.Lost) != 2 {
					t.Errorf("Beat lost %v, %v; want both items", result.Lost, err)
				}
			})
			const waiting = `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%beat_items%'`
			for n := 0; n == 0; {
				if err := byHand.QueryRowContext(ctx, waiting).Scan(&n); err != nil {
					return err
				}
			}
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: held[0].ItemID, WorkerID: worker.ID}})
			return err
		})
		if err != nil {
			t.Errorf("Assign: %v", err)
		}
		beat.Wait()
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
