package sqlstore_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// assignedMs is how long an item may stay assigned in this test, in milliseconds.
const assignedMs = 60_000

// A pass reads the stale items, and releases them with another statement. Meanwhile the lease
// of an item, or of its worker, may have been renewed: such an item is not released. The test
// sends the two statements separately, because on SQLite no other process can write between
// them.
func TestRescueSkipsRenewedItems(t *testing.T) {
	const longAgo = `'2001-01-01 00:00:00.000'`
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		for _, c := range []struct {
			name  string
			state workqueue.State
			lost  string // makes the rescue read the item
			back  func(t *testing.T, store *sqlstore.Store, w workqueue.Worker, it workqueue.Item)
		}{
			{"the lease of a running item", workqueue.Blocked, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = ` + longAgo, beatItem},
			{"the lease of the worker that it is assigned to", workqueue.Assigned, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = ` + longAgo, beatItem},
			{"the assignment of an item", workqueue.Assigned, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = ` + longAgo, assignAgain},
			{"nothing", workqueue.Blocked, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = ` + longAgo, nil},
			{"nothing about the worker", workqueue.Assigned, `UPDATE "BotWorkers" SET "LeaseExpiresAt" = ` + longAgo, nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				dsn := e.DSN(t)
				store := e.Open(t, dsn)
				db := e.SQL(t, dsn)
				factory := storetest.NewFactory(t, store)
				w := factory.Worker(storetest.WorkerOpts{})
				it := factory.Item(storetest.ItemOpts{State: c.state, Worker: w})
				if _, err := db.ExecContext(t.Context(), c.lost); err != nil {
					t.Fatal(err)
				}
				text, args := compiled(t, e, "stale", map[string]any{"assigned_ms": assignedMs, "limit_rows": 10, "now": nil})
				if n := rowsOf(t, db, text, args); n != 1 {
					t.Fatalf("%d stale items, want 1", n)
				}
				want := 1
				if c.back != nil {
					c.back(t, store, w, it)
					want = 0
				}
				text, args = compiled(t, e, "rescue", map[string]any{
					"rows": fmt.Sprintf(`[{"ItemId": %d, "ItemFence": %d}]`, it.ID, it.Fence), "assigned_ms": assignedMs, "now": nil,
				})
				if n := rowsOf(t, db, text, args); n != want {
					t.Errorf("the rescue released %d items, want %d", n, want)
				}
				after, err := store.Item(t.Context(), it.ID)
				if err != nil {
					t.Fatal(err)
				}
				if kept := after.State == c.state; kept != (want == 0) {
					t.Errorf("the item is %s afterwards", after.State)
				}
			})
		}
	})
}

// beatItem renews the leases of a worker and of its item.
func beatItem(t *testing.T, store *sqlstore.Store, w workqueue.Worker, it workqueue.Item) {
	t.Helper()
	p := workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: time.Hour}
	if it.State == workqueue.Blocked {
		p.Held = []workqueue.ItemRef{{ItemID: it.ID, Fence: it.Fence}}
	}
	if result, err := store.Beat(t.Context(), p); err != nil || len(result.Lost) > 0 {
		t.Fatalf("Beat = %+v, %v", result, err)
	}
}

// assignAgain releases the worker's assigned items, and assigns the item again.
func assignAgain(t *testing.T, store *sqlstore.Store, w workqueue.Worker, it workqueue.Item) {
	t.Helper()
	if n, err := store.ReleaseAssigned(t.Context(), w.ID, w.InstanceID); err != nil || n != 1 {
		t.Fatalf("ReleaseAssigned = %d, %v", n, err)
	}
	storetest.NewFactory(t, store).Assign(w, it.ID)
}

// rowsOf counts the rows that a statement returns.
func rowsOf(t *testing.T, db *sql.DB, text string, args []any) (n int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}
