package sqlstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// What a worker does all the time must not become slower with the number of finished rows: each
// statement uses its index although the table is large.
func TestHotStatementsUseTheirIndexes(t *testing.T) {
	const prefix = "X_BotWorkQueueItems_" // of unique indexes (UX) and others (IX)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fill(t, e, db, finishedRows)
		rows := `[{"ItemId": 1, "ItemFence": 1, "HolderId": 1, "NewState": 2, "Failures": 0, "DelayMs": 0}]`
		const full, fullKeys = `["a"]`, `[{"Queue": "b", "Key": "k"}]`
		taskRows := `[{"Name": "task:T", "Task": "T", "Holder": "", "Instant": "2026-01-01 00:00:00.000", "Closes": null, "Author": "ann"}]`
		plain := map[string]any{"worker": 1, "instance": "x", "rows": `[[1, 1, 0, null, null, null]]`}
		if e.Driver == database.Postgres {
			plain = map[string]any{
				"worker": 1, "instance": "x",
				"ids": "{1}", "fences": "{1}", "failures": "{0}", "hashes": "{x}", "outputs": "{x}", "kept_ms": "{1}", "took_ms": "{1}", "step_times": "{x}", "tails": nil,
			}
		}
		for _, c := range []struct {
			statement string
			values    map[string]any
			indexes   []string
		}{
			{"claim", map[string]any{"worker": 1, "instance": "x", "min_priority": 500, "max_priority": 1000, "limit_rows": 10, "begin_rows": 4, "work_ms": 1000, "bytes": 1 << 20, "full_channels": "[]", "lease_ms": 1000}, []string{"Assigned", "AssignedExpedite"}},
			{"due", map[string]any{"min_priority": 500, "max_priority": 1000, "limit_rows": 10, "queues": "[]", "keys": "[]", "pipelines": "[]"}, []string{"Waiting", "WaitingDeadline|Deadline", "WaitingExpedite", "Scheduled"}},
			{"due", map[string]any{"min_priority": 500, "max_priority": 1000, "limit_rows": 10, "queues": full, "keys": fullKeys, "pipelines": full}, []string{"Waiting", "WaitingDeadline|Deadline", "WaitingExpedite", "Scheduled"}},
			{"due_queue", map[string]any{"queue": "few", "min_priority": 500, "max_priority": 1000, "limit_rows": 10, "queues": "[]", "keys": "[]", "pipelines": "[]"}, []string{"Checkout", "CheckoutDeadline", "Scheduled", "Batch"}},
			{"limit_held", map[string]any{}, []string{"Assigned", "Leased"}},
			{"starts_assigned", map[string]any{}, []string{"Assigned"}},
			{"stale", map[string]any{"assigned_ms": 1000, "limit_rows": 10}, []string{"Assigned", "Leased"}},
			{"workers_held", map[string]any{"min_priority": 500, "default_ms": 1000}, []string{"Assigned", "Leased"}},
			{"assigned_items", map[string]any{"min_priority": 500, "max_priority": 1000, "limit_rows": 10}, []string{"Assigned"}},
			{"withheld", map[string]any{"limit_rows": 10}, []string{"Assigned"}},
			{"release_withheld", map[string]any{"rows": rows}, nil},
			{"held_items", map[string]any{"limit_rows": 10}, []string{"Assigned", "Leased"}},
			{"reassign", map[string]any{"rows": rows}, nil},
			{"release_assigned", map[string]any{"worker": 1, "instance": "x"}, []string{"Assigned"}},
			{"expire_leases", map[string]any{"name": "w", "replaces": "i"}, []string{"Leased"}},
			{"waiting", map[string]any{"min_priority": 1001, "max_priority": 2000000000}, []string{"Waiting", "WaitingDeadline|Deadline", "Scheduled"}},
			{"ready", map[string]any{"worker": 1, "min_priority": 1001, "max_priority": 2000000000, "recent_ms": 2000, "elsewhere_ms": 3000}, []string{"Assigned", "Waiting", "WaitingDeadline|Deadline", "Scheduled"}},
			{"stranded", map[string]any{"worker": 1}, []string{"Assigned", "Leased"}},
			{"promote", map[string]any{"limit_rows": 10}, []string{"Scheduled"}},
			{"task_waiting", map[string]any{"state": 0, "after_id": 0, "limit_rows": 10}, []string{"TaskWaiting"}},
			{"task_failures", map[string]any{"limit_rows": 10}, []string{"TaskFailed"}},
			{"task_scopes_busy", map[string]any{"task": "T"}, []string{"TaskOpen"}},
			{"task_fire", map[string]any{"rows": taskRows}, []string{"TaskOpen"}},
			{"expired", map[string]any{"limit_rows": 10}, []string{"Deadline", "Expiry"}},
			{"escalation_due", escalationValues("queue", "few"), []string{"Checkout|Waiting", "CheckoutDeadline|WaitingDeadline|Deadline", "Assigned"}},
			{"escalation_due_pipeline", escalationValues("pipeline", "few"), []string{"Checkout|Waiting", "CheckoutDeadline|WaitingDeadline|Deadline", "Assigned"}},
			{"escalation_beyond", map[string]any{"queue": "few", "rule": 1, "after_ms": 600_000, "keep": 500, "limit_rows": 10}, []string{"Checkout|Waiting", "CheckoutDeadline|WaitingDeadline|Deadline"}},
			{"key_holders", map[string]any{"rows": `[{"Kind": "unique", "Hash": "a"}]`}, []string{"UniqueKey", "ContentKey", "TimedKey"}},
			{"free_timed_keys", map[string]any{"rows": `[{"Hash": "a"}]`}, []string{"TimedKey"}},
			{"stat_unfinished", map[string]any{}, []string{"Checkout", "Assigned", "Leased"}},
			{"gauge_now", map[string]any{}, []string{"Checkout", "Assigned", "Leased"}},
			{"trim_archive", map[string]any{"queue": "default", "keep": 100, "limit_rows": 10}, []string{"Archived"}},
			{"clean_retained", map[string]any{"limit_rows": 10}, []string{"Retained"}},
			{"clean_completed", map[string]any{"queue": "default", "age_ms": 1000, "limit_rows": 10}, []string{"Completed"}},
			{"clean_archived", map[string]any{"queue": "default", "age_ms": 1000, "limit_rows": 10}, []string{"Archived"}},
			{"clean_excess", map[string]any{"queue": "default", "keep": 100, "limit_rows": 10}, []string{"Archived"}},
			{"clean_deleted", map[string]any{"age_ms": 1000, "limit_rows": 10}, []string{"Deleted"}},
			{"clean_keys", map[string]any{"limit_rows": 10}, []string{"TimedUntil"}},
			{"clean_workers", map[string]any{"age_ms": 1000, "limit_rows": 10}, []string{"Assigned", "Leased"}},
			// These find their rows by key with any index.
			{"stat_items", map[string]any{"rows": rows}, nil},
			{"clean_remove", map[string]any{"rows": rows}, nil},
			{"expire", map[string]any{"rows": rows, "finish_text": "x", "deadline_text": "x", "life_text": "x"}, nil},
			{"change_cancel", map[string]any{"rows": rows, "reason": "x", "line": "y"}, nil},
			{"change_archive", map[string]any{"rows": rows, "reason": "x"}, nil},
			{"change_run", map[string]any{"rows": rows}, nil},
			{"change_repeat", map[string]any{"rows": rows}, nil},
			{"change_hide", map[string]any{"rows": rows, "reason": "x", "natural_key": "k", "author": "ann"}, nil},
			{"change_remove", map[string]any{"rows": rows, "natural_key": "k", "author": "ann"}, nil},
			{"robot_change", map[string]any{
				"id": 1, "fence": 1, "sets_metadata": 1, "metadata": "{}", "sets_tags": 1, "tags": "[]", "priority": 1,
				"sets_key": 1, "natural_key": "k", "unique_key": "x",
			}, nil},
			{"checkout_change", map[string]any{
				"id": 1, "fence": 1, "robot": "ann", "lock_key": "x", "sets_metadata": 1, "metadata": "{}", "sets_tags": 1, "tags": "[]",
				"priority": 1, "sets_key": 1, "natural_key": "k", "unique_key": "x",
			}, nil},
			{"still_held", map[string]any{"worker": 1, "instance": "x", "rows": rows}, nil},
			{"finish_remove", map[string]any{"rows": rows}, nil},
			{"seal", map[string]any{"rows": `[{"ItemId": 1, "Body": "x", "Meta": "x"}]`}, nil},
			{"retry_copy", map[string]any{"id": 1, "fence": 1, "failures": 1, "delay_ms": 1, "unique_key": nil}, nil},
			{"clone", map[string]any{"id": 1, "queue": "default", "unique_key": nil, "life_ms": nil, "author": nil}, nil},
			{"task_notify", map[string]any{"rows": rows}, nil},
			{"task_revise", map[string]any{"rows": rows}, nil},
			{"task_items", map[string]any{"rows": rows}, nil},
			{"starts_begun", map[string]any{}, nil},
			{"starts_back", map[string]any{}, nil},
			{"starts_taken", map[string]any{"rows": rows}, nil},
			{"assign", map[string]any{"rows": rows}, nil},
			{"take", map[string]any{"worker": 1, "instance": "x", "rows": rows, "lease_ms": 1000}, nil},
			{"taken", map[string]any{"rows": `[[1, 1]]`}, nil},
			{"take_order", map[string]any{"worker": 1, "rows": rows}, nil},
			{"held", map[string]any{"worker": 1, "instance": "x", "rows": rows}, nil},
			{"begin", map[string]any{"worker": 1, "instance": "x", "rows": rows}, nil},
			{"beat_items", map[string]any{"worker": 1, "lease_ms": 1000, "rows": rows, "begun": rows}, nil},
			{"finish", map[string]any{"worker": 1, "instance": "x", "rows": rows}, nil},
			{"finish_plain", plain, nil},
			{"progress", map[string]any{"worker": 1, "instance": "x", "rows": rows}, nil},
			{"steps_claim", map[string]any{"item": 1, "fence": 1}, nil},
			{"steps_add", map[string]any{"item": 1, "fence": 1, "rows": `[{"Ordinal": 1, "Step": "load", "Data": "1"}]`}, nil},
			{"steps_replace", map[string]any{"item": 1, "fence": 1, "rows": `[{"Ordinal": 1, "Step": "load", "Data": "1"}]`}, nil},
			{"steps_drop", map[string]any{"item": 1, "fence": 1}, nil},
			{"steps_remove", map[string]any{"rows": rows}, nil},
			{"clean_steps", map[string]any{"limit_rows": 10}, nil},
			{"rescue", map[string]any{"rows": rows, "assigned_ms": 1000}, nil},
		} {
			if !hasStatement(e, c.statement) {
				continue
			}
			switch c.statement {
			case "taken", "take_order", "limit_held", "starts_assigned", "starts_back", "release_assigned", "expire_leases", "progress", "task_waiting", "task_failures", "task_scopes_busy", "task_revise", "task_items",
				"trim_archive", "still_held", "finish_remove", "stat_items", "clean_excess", "clean_remove", "change_remove", "robot_change", "seal",
				"steps_claim", "steps_drop", "steps_remove", "clean_steps":
			default:
				c.values["now"] = nil // the database's clock
			}
			if c.statement == "take" && e.Driver == database.Postgres {
				c.values["passes"] = 1
			}
			plan := explain(t, e, db, c.statement, c.values)
			for _, index := range c.indexes {
				one, other, _ := strings.Cut(index, "|") // either is correct
				if !uses(plan, prefix+one) && (other == "" || !uses(plan, prefix+other)) {
					t.Errorf("%s does not use %s%s:\n%s", c.statement, prefix, index, plan)
				}
			}
			if scan := fullScan(e, plan); scan != "" {
				t.Errorf("%s reads the whole table (%s):\n%s", c.statement, scan, plan)
			}
		}
		checkOperatorPlans(t, e, db, prefix)
	})
}

// finishedRows is the number of finished rows in the table.
const finishedRows = 1_000_000

// fill inserts many finished rows, some waiting rows and a few others.
func fill(t *testing.T, e testdb.Engine, db *sql.DB, finished int) {
	t.Helper()
	insert := func(n int, columns, values string) {
		t.Helper()
		statement := fmt.Sprintf(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Priority", %s) SELECT 'Work', n %% 1500, %s FROM %s`,
			columns, values, series(e, planned(e, n)))
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	const at = `'2026-01-01 00:00:00.000'`
	insert(finished, `"State", "WorkerId", "FinishedAt"`, `2 + n % 2, 1 + n % 3, `+at)
	// Most waiting rows must not be read either: other bands, and items that are due later.
	insert(20_000, `"State", "AvailableAt"`, `0, `+at)
	insert(20_000, `"State", "Scheduled", "AvailableAt"`, `4, '1', '2099-01-01 00:00:00.000'`)
	insert(50, `"State"`, `4`)
	insert(50, `"State", "DeadlineAt", "ExpiresAt"`, `0, '2099-01-01 00:00:00.000', '2099-01-01 00:00:00.000'`)
	insert(50, `"State", "WorkerId", "AssignedAt"`, `5, 1 + n % 3, `+at)
	insert(50, `"State", "WorkerId", "Fence", "LeaseExpiresAt"`, `1, 1 + n % 3, 1, `+at)
	countRows(t, e, db, "BotWorkQueueItems")
}
