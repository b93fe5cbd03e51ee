package sqlstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// patience is the time limit for a call that should not have to wait.
var patience = testdb.Slow(20 * time.Second)

// Housekeeping and the normal work on the queue never wait for each other.
func TestCleanUpDoesNotBlockClaims(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("there is one writer: a claim waits until a batch is written")
		}
		dsn := e.DSN(t)
		store, db := e.Open(t, dsn), e.SQL(t, dsn)
		factory := storetest.NewFactory(t, store)
		worker := factory.Worker(storetest.WorkerOpts{})
		factory.Items(20, storetest.ItemOpts{State: workqueue.Assigned, Worker: worker})
		oldItems(t, db, 20)

		// One batch of each kind, in a transaction that stays open.
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		removed := holdBatch(t, e, tx, "clean_completed", map[string]any{"queue": "default", "age_ms": 1000, "limit_rows": 5, "now": nil})
		removed += holdBatch(t, e, tx, "clean_archived", map[string]any{"queue": "default", "age_ms": 1000, "limit_rows": 5, "now": nil})
		for _, name := range []string{"clean_keys", "clean_firings", "clean_runs", "clean_workers", "clean_forecasts"} {
			v := map[string]any{"age_ms": 1000, "limit_rows": 5, "now": nil}
			if name == "clean_keys" {
				delete(v, "age_ms")
			}
			text, args := compiled(t, e, name, v)
			if _, err := tx.ExecContext(t.Context(), text, args...); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if removed != 10 {
			t.Fatalf("the open batches removed %d items, want 10", removed)
		}

		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		workNormally(ctx, t, store, worker, 20)
		// Another process cleans up at the same time: it skips locked rows.
		r, err := workqueue.CleanUp(ctx, store, workqueue.CleanUpParams{Completed: new(time.Second), Archived: new(time.Second)})
		if err != nil || r.Completed != 15 || r.Archived != 15 {
			t.Errorf("CleanUp during open batches = %+v, %v, want 15 completed and 15 archived ones", r, err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	})
}

// workNormally does what a worker and its users normally do.
func workNormally(ctx context.Context, t *testing.T, store *sqlstore.Store, worker workqueue.Worker, n int) {
	t.Helper()
	claimed, err := store.Claim(ctx, claimAll(worker, time.Hour))
	for err == nil && len(claimed) < n {
		var more []workqueue.Item
		if more, err = store.Claim(ctx, claimAll(worker, time.Hour)); len(more) == 0 {
			break
		}
		claimed = append(claimed, more...)
	}
	if err != nil || len(claimed) != n {
		t.Fatalf("claimed %d items, %v, want %d", len(claimed), err, n)
	}
	p := workqueue.BeatParams{WorkerID: worker.ID, InstanceID: worker.InstanceID, Lease: time.Hour}
	var ends []workqueue.Finish
	for i, it := range claimed {
		p.Held = append(p.Held, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
		ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: []workqueue.State{workqueue.Processed, workqueue.Cancelled}[i%2]})
	}
	if _, err := store.Beat(ctx, p); err != nil {
		t.Errorf("Beat: %v", err)
	}
	if lost, err := store.Finish(ctx, worker.ID, worker.InstanceID, ends); err != nil || len(lost) > 0 {
		t.Errorf("Finish lost %v, %v", lost, err)
	}
	if _, err := store.Enqueue(ctx, []workqueue.NewItem{{IntegrationConfig: "x", State: workqueue.Pending}}); err != nil {
		t.Errorf("Enqueue: %v", err)
	}
	pass := assign.AssignParams{Horizon: 24 * time.Hour, Workers: assign.AvailableWorkers}
	if r, err := assign.AssignPass(ctx, store, pass); err != nil || r.Assigned != 1 {
		t.Errorf("AssignPass = %+v, %v, want one item assigned", r, err)
	}
}

// A batch removes rows that are not locked, and does not wait for the others.
func TestBatchSkipsLockedRows(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("there is one writer, and it locks no single rows")
		}
		dsn := e.DSN(t)
		store, db := e.Open(t, dsn), e.SQL(t, dsn)
		oldItems(t, db, 10)
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET "Priority" = 1 WHERE "Payload" IN ('1', '2', '3')`); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for _, c := range []struct {
			name string
			want int
			do   func() (int, error)
		}{
			{"RemoveCompleted", 7, func() (int, error) { return store.RemoveCompleted(ctx, new(time.Second), 0) }},
			{"TrimArchives", 6, func() (int, error) { return store.TrimArchives(ctx, new(1), 0) }},
		} {
			if n, err := c.do(); err != nil || n != c.want {
				t.Errorf("%s with locked rows removed %d, %v, want %d", c.name, n, err, c.want)
			}
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if n, err := store.RemoveCompleted(ctx, new(time.Second), 0); err != nil || n != 3 {
			t.Errorf("afterwards RemoveCompleted = %d, %v, want the other 3", n, err)
		}
		for {
			n, err := store.TrimArchives(ctx, new(1), 0)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		var left int
		if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM "BotWorkQueueItems"`).Scan(&left); err != nil || left != 1 {
			t.Errorf("%d items are left, %v, want the newest archived one", left, err)
		}
	})
}

// Old records and runs are found by an index.
func TestOldFiringsAndRunsAreFoundByIndexes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		minutes := map[database.Driver]string{
			database.SQLite:    `strftime('%Y-%m-%d %H:%M:%f', '2026-01-01', '+' || n || ' minutes')`,
			database.Postgres:  `TIMESTAMPTZ '2026-01-01' + n * INTERVAL '1 minute'`,
			database.SQLServer: `DATEADD(MINUTE, n, CAST('2026-01-01' AS DATETIME2(3)))`,
		}[e.Driver]
		for _, statement := range []string{
			`INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "Outcome", "RecordedBy", "RecordedAt") SELECT CONCAT('S', n % 3), ` +
				minutes + `, 'fired', 'ann', ` + minutes + ` FROM ` + series(e, planned(e, 50_000)),
			`INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "WorkerId", "PlannedAt", "Outcome", "StartedAt", "FinishedAt") SELECT CONCAT('P', n % 3), 'cron', n % 5, ` +
				minutes + `, 'succeeded', ` + minutes + `, ` + minutes + ` FROM ` + series(e, planned(e, 50_000)),
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		countRows(t, e, db, "BotScheduleFirings")
		countRows(t, e, db, "BotPipelineRuns")
		for name, indexes := range map[string][]string{
			"clean_firings": {"IX_BotScheduleFirings_Planned"},
			"clean_runs":    {"IX_BotPipelineRuns_Started"},
			"last_firing":   {"IX_BotScheduleFirings_Latest"},
		} {
			v := map[string]any{"age_ms": int64(1000), "limit_rows": 10, "now": nil}
			if name == "last_firing" {
				v = map[string]any{"schedule": "S1", "worker_name": ""}
			}
			plan := explain(t, e, db, name, v)
			for _, index := range indexes {
				if !strings.Contains(plan, index) {
					t.Errorf("%s does not use %s:\n%s", name, index, plan)
				}
			}
		}
	})
}

// holdBatch picks items and removes them in a transaction that stays open.
func holdBatch(t *testing.T, e testdb.Engine, tx *sql.Tx, pick string, values map[string]any) int {
	t.Helper()
	text, args := compiled(t, e, pick, values)
	rows, err := tx.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", pick, err)
	}
	defer rows.Close()
	var picked []map[string]int64
	for rows.Next() {
		var id, fence, state, hidden, attempts int64
		if err := rows.Scan(&id, &fence, &state, &hidden, &attempts); err != nil {
			t.Fatal(err)
		}
		picked = append(picked, map[string]int64{"ItemId": id, "ItemFence": fence, "OldState": state, "Hidden": hidden})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	batch, err := json.Marshal(picked)
	if err != nil {
		t.Fatal(err)
	}
	text, args = compiled(t, e, "clean_remove", map[string]any{"rows": string(batch)})
	result, err := tx.ExecContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("clean_remove: %v", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// oldItems inserts n completed and n archived items that ended long ago, numbered in their
// payload.
func oldItems(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	for i := range n {
		for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
			statement := fmt.Sprintf(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "FinishedAt", "Payload") VALUES ('Old', %d, '2001-01-01 00:00:00.000', '%d')`, state, i+1)
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
}
