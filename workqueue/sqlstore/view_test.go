package sqlstore_test

import (
	"fmt"
	"slices"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// unviewed are the columns of BotWorkQueueItems that the view leaves out, each with the reason.
var unviewed = map[string]string{
	"BegunFence":      "how the program records a begin",
	"ContentKey":      "a hash",
	"Expedite":        "how passes find items that may overtake others; RunOrder has the result",
	"LockKey":         "the hash of a robot's secret",
	"PoliciesApplied": "how passes find what was inserted by hand",
	"Scheduled":       "which index an item is in; AvailableAt says when it is due",
	"TaskNotifiedAt":  "how passes find failures that were not reported",
	"TaskPriority":    "the priority before it was raised: the audit log has it",
	"TimedKey":        "a hash",
	"TimedUntil":      "when TimedKey ends",
	"UniqueKey":       "a hash",
}

// TestViewHasTheColumnsOfItems: who adds a column to items decides whether people ask about it.
func TestViewHasTheColumnsOfItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		columns := func(table string) []string {
			rows, err := db.QueryContext(t.Context(), `SELECT * FROM "`+table+`" WHERE "Id" = 0`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			names, err := rows.Columns()
			if err != nil || rows.Err() != nil {
				t.Fatal(err, rows.Err())
			}
			return names
		}
		items, view := columns("BotWorkQueueItems"), columns("BotWorkQueueItemsView")
		for _, name := range items {
			if _, hidden := unviewed[name]; hidden == slices.Contains(view, name) {
				t.Errorf("column %s: in the view %v, listed as left out %v", name, !hidden, hidden)
			}
		}
		for name := range unviewed {
			if !slices.Contains(items, name) {
				t.Errorf("items have no column %s", name)
			}
		}
	})
}

// The view computes the status as the program does.
func TestViewHasTheStatus(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		d := &desk{T: t, engine: e, store: e.Open(t, dsn), db: e.SQL(t, dsn)}
		const future = `'2099-01-01 00:00:00.000'`
		for _, state := range workqueue.States() {
			for _, due := range []string{past, future} {
				for _, kind := range []string{`NULL`, `'error'`, `'business'`, `'timeout'`, `'poison'`, `'cancelled'`, `'expired'`} {
					d.exec(`INSERT INTO "BotWorkQueueItems" ("State", "IntegrationConfig", "AvailableAt", "ErrorKind") VALUES (%d, 'x', %s, %s)`, state, due, kind)
				}
			}
		}
		d.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "AvailableAt", "RetryCount") VALUES ('x', %s, 1)`, future)
		d.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "DeletedAt") VALUES ('x', %s)`, past)
		statuses := map[workqueue.Status]bool{}
		for _, r := range d.query(`SELECT "Id", "Status" FROM "BotWorkQueueItemsView"`) {
			var id int64
			if _, err := fmt.Sscan(r["Id"], &id); err != nil {
				t.Fatal(err)
			}
			it, err := d.store.Item(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if got := workqueue.Status(r["Status"]); got != it.Status() {
				t.Errorf("an item in state %s has the status %q in the view, want %q", it.State, got, it.Status())
			}
			statuses[it.Status()] = true
		}
		if len(statuses) != len(workqueue.Statuses()) {
			t.Errorf("compared the statuses %v, want all", statuses)
		}
	})
}
