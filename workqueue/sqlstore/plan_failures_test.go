package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// A report of a night must not read the attempts and items of a month.
func TestFailuresUseTheirIndexes(t *testing.T) {
	const rows = 200_000
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fill(t, e, db, rows)
		at := `'2026-01-` + "%02d" + ` 00:00:00.000'`
		for day := 1; day <= 20; day++ {
			statement := fmt.Sprintf(`INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome", "FinishedAt")
				SELECT n, 1, 1, CASE WHEN n %% 3 = 0 THEN 'snoozed' ELSE 'failed' END, `+at+` FROM %s`, day, series(e, planned(e, rows/20)))
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		countRows(t, e, db, "BotWorkItemAttempts")
		page := map[string]any{
			"since": "2026-01-10 12:00:00.000", "until": "2026-01-11 12:00:00.000", "before_id": 0, "limit_rows": 1000, "name_len": 500, "text_len": 2000,
		}
		plan := explain(t, e, db, "failed_attempts", page)
		if !uses(plan, "IX_BotWorkItemAttempts_Failed") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort") || fullScan(e, plan) != "" {
			t.Errorf("failed_attempts does not read its index in order:\n%s", plan)
		}
		page["queue"] = "default"
		plan = explain(t, e, db, "failed_items", page)
		if !uses(plan, "IX_BotWorkQueueItems_Archived") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort") || fullScan(e, plan) != "" {
			t.Errorf("failed_items does not read its index in order:\n%s", plan)
		}
	})
}
