package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// A comparison reads only the forecasts of its time, in order, and removing old ones does not read the others.
func TestForecastsAreFoundByTheirTime(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fill(t, e, db, 20_000)
		minutes := map[database.Driver]string{
			database.SQLite:    `strftime('%Y-%m-%d %H:%M:%f', '2026-01-01', '+' || (n % 5000) || ' minutes')`,
			database.Postgres:  `TIMESTAMPTZ '2026-01-01' + (n % 5000) * INTERVAL '1 minute'`,
			database.SQLServer: `DATEADD(MINUTE, n % 5000, CAST('2026-01-01' AS DATETIME2(3)))`,
		}[e.Driver]
		statement := fmt.Sprintf(`INSERT INTO "BotForecasts" ("MadeAt", "ItemId", "QueueName", "Pipeline", "Priority", "DueAt", "Failures")
			SELECT %s, n %% 20000, 'default', 'work', 1000, '2026-01-01 00:00:00.000', 0 FROM %s`, minutes, series(e, planned(e, 200_000)))
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		countRows(t, e, db, "BotForecasts")
		plan := explain(t, e, db, "forecast_outcomes", map[string]any{
			"since": "2026-01-02 00:00:00.000", "until": "2026-01-02 12:00:00.000", "before_id": 0, "queue": nil, "pipeline": nil, "limit_rows": 100,
		})
		if !uses(plan, "IX_BotForecasts_Made") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort") || fullScan(e, plan) != "" {
			t.Errorf("forecast_outcomes does not read its index in order:\n%s", plan)
		}
		plan = explain(t, e, db, "clean_forecasts", map[string]any{"age_ms": int64(1000), "limit_rows": 10, "now": "2026-01-01 01:00:00.000"})
		if !uses(plan, "IX_BotForecasts_Made") {
			t.Errorf("clean_forecasts does not use its index:\n%s", plan)
		}
	})
}
