package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// mostLocks is well below 5,000, the number of locks of one statement on one table or index
// from which SQL Server may lock the whole table ("Transaction locking and row versioning
// guide", section "Lock escalation thresholds").
const mostLocks = 4000

// finishBatch is how many ends a worker writes in one statement.
const finishBatch = 500

// Columns of items before a statement changes them. Each of these sets all columns that the
// others set.
const (
	waiting  = `"State" = 4, "WorkerId" = NULL, "AssignedAt" = NULL, "LeaseExpiresAt" = NULL, "DeadlineAt" = NULL, "FinishedAt" = NULL, "Fence" = 1`
	assigned = `"State" = 5, "WorkerId" = %[1]d, "AssignedAt" = '2026-01-01 00:00:00.000', "LeaseExpiresAt" = NULL, "DeadlineAt" = NULL, "FinishedAt" = NULL, "Fence" = 1`
	running  = `"State" = 1, "WorkerId" = %[1]d, "AssignedAt" = NULL, "LeaseExpiresAt" = '2099-01-01 00:00:00.000', "DeadlineAt" = NULL, "FinishedAt" = NULL, "Fence" = 1`
	stale    = `"State" = 1, "WorkerId" = %[1]d, "AssignedAt" = NULL, "LeaseExpiresAt" = '2026-01-01 00:00:00.000', "DeadlineAt" = NULL, "FinishedAt" = NULL, "Fence" = 1`
	overdue  = `"State" = 4, "WorkerId" = NULL, "AssignedAt" = NULL, "LeaseExpiresAt" = NULL, "DeadlineAt" = '2026-01-01 00:00:00.000', "FinishedAt" = NULL, "Fence" = 1`
	done     = `"State" = 2, "WorkerId" = NULL, "AssignedAt" = NULL, "LeaseExpiresAt" = NULL, "DeadlineAt" = NULL, "FinishedAt" = '2026-01-01 00:00:00.000', "Fence" = 1`
)

// A full batch changes all of its items. On SQL Server it locks so few rows that the server
// does not lock the whole table, which would make every claim and heartbeat wait.
func TestBatchesDoNotLockTables(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		db := e.SQL(t, dsn)
		w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "w", Host: "h", Capacity: 1, Lease: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, e, db, 20_000)
		for _, c := range []struct {
			statement string
			before    string // the items' columns
			batch     int
			row       string         // further fields of each row
			values    map[string]any // further values
			reads     bool           // it changes nothing
		}{
			{"assign", waiting, sqlstore.WriteBatch, `"HolderId": %[2]d, "RunOrder": 7`, nil, false},
			{"take", waiting, sqlstore.WriteBatch, `"HolderId": %[2]d, "RunOrder": 7`, map[string]any{"passes": nil}, false},
			{"reassign", assigned, sqlstore.WriteBatch, `"HolderId": %[2]d, "FromId": %[2]d, "RunOrder": 7`, nil, false},
			{"rescue", stale, sqlstore.RescueBatch, "", map[string]any{"assigned_ms": 1000}, false},
			{"expire", overdue, sqlstore.RescueBatch, "", map[string]any{"finish_text": "x", "deadline_text": "x", "life_text": "x"}, false},
			{"take_order", running, sqlstore.WriteBatch, `"RunOrder": 7`, nil, false},
			{"begin", running, finishBatch, "", nil, false},
			{"beat_items", running, sqlstore.WriteBatch, "", map[string]any{"begun": "[]"}, false},
			{"progress", running, finishBatch, `"NewProgress": "half"`, nil, false},
			{"held", running, finishBatch, "", nil, true},
			{"finish", running, finishBatch, `"NewState": 2, "Failures": 0`, nil, false},
			{"finish", running, finishBatch, `"NewState": 0, "Failures": 1, "DelayMs": 1000`, nil, false},
			{"finish_remove", done, finishBatch, "", nil, false},
			{"change_cancel", running, sqlstore.ChangePage, `"OldState": 1`, map[string]any{"reason": "x", "line": "y"}, false},
			{"change_archive", waiting, sqlstore.ChangePage, `"OldState": 4`, map[string]any{"reason": "x"}, false},
			{"change_run", done, sqlstore.ChangePage, `"OldState": 2`, nil, false},
			{"change_repeat", done, sqlstore.ChangePage, `"OldState": 2, "Hidden": 0`, nil, false},
			{"change_remove", done, sqlstore.ChangePage, `"OldState": 2`, map[string]any{"natural_key": nil, "author": nil}, false},
			{"clean_remove", done, workqueue.MaxCleanBatch, `"OldState": 2, "Hidden": 0`, nil, false},
		} {
			if !hasStatement(e, c.statement) {
				continue
			}
			before := c.before
			if strings.Contains(before, "%") {
				before = fmt.Sprintf(before, w.ID)
			}
			if _, err := db.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET `+before+fmt.Sprintf(` WHERE "Id" <= %d`, c.batch)); err != nil {
				t.Fatalf("before %s: %v", c.statement, err)
			}
			rows := make([]string, c.batch)
			for i := range rows {
				rows[i] = fmt.Sprintf(`{"ItemId": %d, "ItemFence": 1`, i+1)
				if c.row != "" {
					more := c.row
					if strings.Contains(more, "%") {
						more = fmt.Sprintf(more, 0, w.ID)
					}
					rows[i] += ", " + more
				}
				rows[i] += "}"
			}
			values := map[string]any{"worker": w.ID, "instance": w.InstanceID, "lease_ms": 60_000, "now": nil, "rows": "[" + strings.Join(rows, ",") + "]"}
			maps.Copy(values, c.values)
			parameters := statementOf(t, e, c.statement).Names
			maps.DeleteFunc(values, func(name string, _ any) bool { return !slices.Contains(parameters, name) })
			changed, l := lockedBy(t, e, db, c.statement, values)
			if changed != c.batch && !c.reads {
				t.Errorf("%s changed %d items, want %d", c.statement, changed, c.batch)
			}
			if e.Driver != database.SQLServer {
				continue
			}
			t.Logf("%s of %d items: %d locks, %d of them on one table or index", c.statement, c.batch, l.all, l.most)
			if l.most > mostLocks || l.tables > 0 {
				t.Errorf("%s of %d items takes %d locks on one table or index, want at most %d; it locks %d whole tables, want 0",
					c.statement, c.batch, l.most, mostLocks, l.tables)
			}
		}
	})
}

// locks are the locks of one session: all of them, the most on one table or index, and those on
// whole tables of Botwork.
type locks struct{ all, most, tables int }

// lockedBy runs a statement in a transaction that is rolled back, and returns how many items it
// changed and what it locked.
func lockedBy(t *testing.T, e testdb.Engine, db *sql.DB, name string, values map[string]any) (changed int, l locks) {
	t.Helper()
	text, args := compiled(t, e, name, values)
	err := func() (err error) {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			return err
		}
		defer func() {
			if end := tx.Rollback(); !errors.Is(end, sql.ErrTxDone) {
				err = errors.Join(err, end)
			}
		}()
		if changed, err = countChanged(t.Context(), tx, text, args); err != nil || e.Driver != database.SQLServer {
			return err
		}
		const held = ` FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_database_id = DB_ID()`
		return tx.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*)`+held+`),
			(SELECT COALESCE(MAX(g.n), 0) FROM (SELECT COUNT(*) AS n`+held+` AND resource_type IN ('KEY', 'RID', 'PAGE') GROUP BY resource_associated_entity_id) g),
			(SELECT COUNT(*)`+held+` AND resource_type = 'OBJECT' AND request_mode IN ('S', 'U', 'X')
				AND resource_associated_entity_id IN (SELECT object_id FROM sys.tables WHERE name LIKE 'Bot%'))`).Scan(&l.all, &l.most, &l.tables)
	}()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return changed, l
}

// countChanged runs a statement and returns the number of rows that it returns, or that it
// changed if it returns no rows.
func countChanged(ctx context.Context, tx *sql.Tx, text string, args []any) (n int, err error) {
	if !strings.Contains(text, "OUTPUT") && !strings.Contains(text, "RETURNING") {
		result, err := tx.ExecContext(ctx, text, args...)
		if err != nil {
			return 0, err
		}
		changed, err := result.RowsAffected()
		return int(changed), err
	}
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}
