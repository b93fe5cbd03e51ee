package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/database"
	"botwork/internal/testdb"
	sqlfiles "botwork/sql"
)

// What is due is read in three statements; a condition that is added to one of them
// and forgotten in another would hold for some items only.
func TestDueStatementsAreSiblings(t *testing.T) {
	read := func(folder, name string) string {
		t.Helper()
		text, err := sqlfiles.Files.ReadFile(folder + "/queries/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		_, statement, ok := strings.Cut(string(text), "\nSELECT ")
		if !ok {
			t.Fatalf("%s/%s has no SELECT", folder, name)
		}
		var lines []string
		for line := range strings.Lines(statement) {
			if !strings.HasPrefix(line, "WHERE ") && !strings.HasPrefix(line, "ORDER BY ") { // what tells them apart
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "")
	}
	for _, folder := range folders {
		for _, name := range []string{"due_deadline", "due_expedited"} {
			if diff := cmp.Diff(read(folder, "due"), read(folder, name)); diff != "" {
				t.Errorf("%s: %s differs from due (-due +%s):\n%s", folder, name, name, diff)
			}
		}
	}
}

// A pass reads the starts of its queues, and those that are open, by index: other
// queues with long periods cost it nothing.
func TestStartsAreReadByIndex(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLServer {
			t.Skip("the plans of SQL Server are looked at by hand")
		}
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
		if e.Driver == database.Postgres {
			exec(`ANALYZE "BotQueueStarts"`)
		}
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
