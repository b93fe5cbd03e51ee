package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
	sqlfiles "botwork/sql"
)

// Due items are read in four parts. A condition that is added to one part and forgotten in
// another would apply only to some items.
func TestPartsOfDueHaveSameConditions(t *testing.T) {
	for _, folder := range folders {
		text, err := sqlfiles.Read(sqlfiles.Files, folder+"/queries/due.sql")
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for part := range strings.SplitSeq(text, "\nUNION ALL\n") {
			_, inner, ok := strings.Cut(part, "\nFROM (\n    SELECT ")
			if !ok {
				t.Fatalf("%s/due has a part without a SELECT: %s", folder, part)
			}
			var lines []string
			for line := range strings.Lines(inner) {
				differs := strings.HasPrefix(line, "    WHERE ") || strings.HasPrefix(line, "    ORDER BY ") // may differ between the parts
				if !differs && !strings.HasPrefix(line, "    LIMIT ") && !strings.HasPrefix(line, ")") {
					lines = append(lines, line)
				}
			}
			parts = append(parts, strings.Join(lines, ""))
		}
		if len(parts) != 5 {
			t.Errorf("%s/due has %d parts, want 5", folder, len(parts))
		}
		for i, part := range parts {
			if diff := cmp.Diff(parts[0], part); diff != "" {
				t.Errorf("%s/due: part %d differs from the first (-first +%d):\n%s", folder, i+1, i+1, diff)
			}
		}
		if n := strings.Count(text, "limit_rows"); n != 6 { // and once in the header
			t.Errorf("%s/due names limit_rows %d times, want once in each part", folder, n)
		}
	}
}

// A pass reads the starts of its queues, and open starts, by index: other queues with long
// periods do not slow it down.
func TestStartsAreReadByIndex(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		exec := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		exec(`INSERT INTO "BotQueues" ("Name") VALUES ('long')`)
		exec(`INSERT INTO "BotQueueStarts" ("QueueName", "ItemId", "Fence", "StartedAt") VALUES ('long', 1, 1, '2026-01-01 00:00:00.000')`)
		for range 14 {
			exec(`INSERT INTO "BotQueueStarts" ("QueueName", "ItemId", "Fence", "StartedAt") SELECT "QueueName", "ItemId", "Fence", "StartedAt" FROM "BotQueueStarts"`)
		}
		exec(`INSERT INTO "BotQueueStarts" ("QueueName", "ItemId", "Fence") VALUES ('default', 7, 1)`)
		countRows(t, e, db, "BotQueueStarts")
		for _, c := range []struct {
			statement string
			values    map[string]any
			index     string
		}{
			{"limit_starts", map[string]any{"queue": "default", "rate_ms": 1000, "key_rate_ms": 0, "keep_ms": 1000, "now": nil}, "IX_BotQueueStarts_Started"},
			{"starts_begun", map[string]any{"now": nil}, "IX_BotQueueStarts_Open"},
			{"starts_back", map[string]any{}, "IX_BotQueueStarts_Open"},
			{"starts_assigned", map[string]any{}, "IX_BotQueueStarts_Open"},
		} {
			if plan := explain(t, e, db, c.statement, c.values); !strings.Contains(plan, c.index) {
				t.Errorf("%s does not use %s:\n%s", c.statement, c.index, plan)
			}
		}
	})
}
