package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// An evaluation of notifications runs each minute: it must not read the items and runs of a month.
func TestHappeningsUseTheirIndexes(t *testing.T) {
	const rows = 100_000
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fill(t, e, db, rows)
		for _, statement := range []string{
			`UPDATE "BotWorkQueueItems" SET "FinishedAt" = '2026-01-01 00:00:00.000' WHERE "State" = 3`,
			fmt.Sprintf(`INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PlannedAt", "Outcome", "StartedAt", "FinishedAt")
				SELECT 'Nightly', 'cron', '2026-01-01 00:00:00.000', CASE WHEN n %% 50 = 0 THEN 'failed' ELSE 'succeeded' END, '2026-01-01 00:00:00.000', '2026-01-01 00:00:00.000' FROM %s`, series(e, planned(e, rows))),
			fmt.Sprintf(`INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
				SELECT 'Nightly', '2026-01-01 00:00:00.000', 'w' || n, CASE WHEN n %% 50 = 0 THEN 'missed' ELSE 'fired' END, '', 'test', '2026-01-01 00:00:00.000' FROM %s`, series(e, planned(e, rows))),
		} {
			if strings.Contains(statement, "||") && e.Driver == "sqlserver" {
				statement = strings.Replace(statement, "'w' || n", "CONCAT('w', n)", 1)
			}
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		for _, table := range []string{"BotWorkQueueItems", "BotPipelineRuns", "BotScheduleFirings"} {
			countRows(t, e, db, table)
		}
		const since = "2026-01-10 12:00:00.000"
		for _, c := range []struct {
			name, index string
			parameters  map[string]any
		}{
			{"happening_items", "IX_BotWorkQueueItems_ArchivedAt", map[string]any{"since": since, "limit_rows": 1000, "except_queue": "botwork.notifications", "name_len": 500, "text_len": 2000}},
			{"happening_runs", "IX_BotPipelineRuns_Failed", map[string]any{"since": since, "limit_rows": 1000, "text_len": 2000}},
			{"happening_late", "IX_BotPipelineRuns_Started", map[string]any{"since": since, "limit_rows": 1000, "late_ms": 60_000}},
			{"happening_missed", "IX_BotScheduleFirings_Missed", map[string]any{"since": since, "limit_rows": 1000}},
			{"happening_risk", "IX_BotWorkQueueItems_Deadline", map[string]any{"until": since, "limit_rows": 1000, "except_queue": "botwork.notifications", "name_len": 500, "now": "2026-01-10 11:00:00.000"}},
		} {
			plan := explain(t, e, db, c.name, c.parameters)
			if !uses(plan, c.index) || fullScan(e, plan) != "" {
				t.Errorf("%s does not read %s, or reads a whole table (%s):\n%s", c.name, c.index, fullScan(e, plan), plan)
			}
		}
	})
}
