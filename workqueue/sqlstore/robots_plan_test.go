package sqlstore_test

import (
	"maps"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// A checkout reads the waiting items of its queue in order: finished items and items of other
// queues do not slow it down.
func TestCheckoutsUseTheirIndexes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fill(t, e, db, 40_000)
		for _, statement := range []string{
			`INSERT INTO "BotQueues" ("Name", "Consumer") VALUES ('forms', 'robots')`,
			`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "Priority", "QueueName", "DeadlineAt")
				SELECT '', 4, "Id" % 1500, CASE WHEN "Id" % 20 = 0 THEN 'forms' ELSE 'default' END, CASE WHEN "Id" % 3 = 0 THEN "FinishedAt" END
				FROM "BotWorkQueueItems" WHERE "Id" <= 10000`,
			`UPDATE "BotWorkQueueItems" SET "DeadlineAt" = '2099-01-01 00:00:00.000' WHERE "State" = 4 AND "DeadlineAt" IS NOT NULL`,
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		indexes := []string{"IX_BotWorkQueueItems_Checkout", "IX_BotWorkQueueItems_CheckoutDeadline"}
		countRows(t, e, db, "BotWorkQueueItems")
		first := map[string]any{
			"robot": "ann", "queue": "forms", "limit_rows": 10, "natural_key": nil, "ids": nil, "tags_any": nil, "tags_all": "[]",
			"metadata": "[]", "tries_new": 1, "tries_once": 1, "tries_again": 1, "full_keys": nil, "now": nil,
		}
		checkout := maps.Clone(first)
		checkout["limited"], checkout["lock_key"], checkout["lease_ms"] = 0, "hash", nil
		hold := map[string]any{"id": 1, "robot": "ann", "fence": 1, "lock_key": "hash", "now": nil}
		progress := maps.Clone(hold)
		const held = `[{"ItemId": 1, "ItemFence": 1, "ByRobot": "ann", "ByKey": "hash"}]`
		progress["progress"], progress["percent"] = "half", 50
		for _, c := range []struct {
			statement string
			values    map[string]any
			indexes   []string
		}{
			{"checkout", checkout, indexes},
			{"checkout_peek", first, indexes},
			{"checkout_items", map[string]any{"rows": held, "now": nil}, nil},
			{"checkout_extend", map[string]any{"rows": held, "lease_ms": 1000, "now": nil}, nil},
			{"checkout_progress", progress, nil},
		} {
			plan := explain(t, e, db, c.statement, c.values)
			for _, index := range c.indexes {
				if !strings.Contains(plan, index) {
					t.Errorf("%s does not use %s:\n%s", c.statement, index, plan)
				}
			}
			if scan := fullScan(e, plan); scan != "" {
				t.Errorf("%s reads the whole table (%s):\n%s", c.statement, scan, plan)
			}
		}
	})
}
